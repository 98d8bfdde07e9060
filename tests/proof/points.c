/* Stands in for ThreadSanitizer's runtime in the library that generated
 * programs run under. The library's core is compiled with -fsanitize=thread,
 * which turns each atomic access into a call. Here such a call is a point where
 * the schedule may let another thread go on. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Defined in the program, in schedule.c. */
void schedule_point(void);

#define EMPTY(name, parameters) \
	void name parameters; \
	void name parameters \
	{ \
	}

#define UNUSED __attribute__((unused))
#define ACCESS(bytes) \
	EMPTY(__tsan_read##bytes, (UNUSED void *at)) \
	EMPTY(__tsan_write##bytes, (UNUSED void *at)) \
	EMPTY(__tsan_unaligned_read##bytes, (UNUSED void *at)) \
	EMPTY(__tsan_unaligned_write##bytes, (UNUSED void *at))

/* The memory order makes no difference to the access, as one thread of the
 * program runs at a time. Relaxed changes and loads, such as those of counters,
 * are no points, as nothing relies on their order. All stores are points. */
#define CHANGE(type, bits, name, builtin) \
	type __tsan_atomic##bits##_##name(volatile type *, type, int); \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, \
					  int order) \
	{ \
		if (order != __ATOMIC_RELAXED) \
			schedule_point(); \
		return builtin(at, value, __ATOMIC_SEQ_CST); \
	}

#define COMPARE(type, bits, strength) \
	int __tsan_atomic##bits##_compare_exchange_##strength( \
		volatile type *, type *, type, int, int); \
	int __tsan_atomic##bits##_compare_exchange_##strength( \
		volatile type *at, type *expected, type value, int order, \
		int failed) \
	{ \
		(void)failed; \
		if (order != __ATOMIC_RELAXED) \
			schedule_point(); \
		return __atomic_compare_exchange_n(at, expected, value, false, \
						   __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST); \
	}

/* The form that clang calls; it returns the value that was found. */
#define COMPARE_VALUE(type, bits) \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *, type, \
							type, int, int); \
	type __tsan_atomic##bits##_compare_exchange_val( \
		volatile type *at, type expected, type value, int order, \
		int failed) \
	{ \
		__tsan_atomic##bits##_compare_exchange_strong( \
			at, &expected, value, order, failed); \
		return expected; \
	}

#define ATOMIC(type, bits) \
	type __tsan_atomic##bits##_load(const volatile type *, int); \
	type __tsan_atomic##bits##_load(const volatile type *at, int order) \
	{ \
		if (order != __ATOMIC_RELAXED) \
			schedule_point(); \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST); \
	} \
	void __tsan_atomic##bits##_store(volatile type *, type, int); \
	void __tsan_atomic##bits##_store(volatile type *at, type value, \
					 int order) \
	{ \
		(void)order; \
		schedule_point(); \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST); \
	} \
	CHANGE(type, bits, exchange, __atomic_exchange_n) \
	CHANGE(type, bits, fetch_add, __atomic_fetch_add) \
	CHANGE(type, bits, fetch_sub, __atomic_fetch_sub) \
	CHANGE(type, bits, fetch_or, __atomic_fetch_or) \
	CHANGE(type, bits, fetch_and, __atomic_fetch_and) \
	COMPARE(type, bits, strong) \
	COMPARE(type, bits, weak) \
	COMPARE_VALUE(type, bits)

EMPTY(__tsan_atomic_signal_fence, (UNUSED int order))
EMPTY(__tsan_init, (void))
EMPTY(__tsan_func_entry, (UNUSED void *caller))
EMPTY(__tsan_func_exit, (void))
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
EMPTY(__tsan_read_range, (UNUSED void *at, UNUSED size_t bytes))
EMPTY(__tsan_write_range, (UNUSED void *at, UNUSED size_t bytes))
ATOMIC(uint8_t, 8)
ATOMIC(uint32_t, 32)
ATOMIC(uint64_t, 64)
