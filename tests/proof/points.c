/* Stands in for ThreadSanitizer's runtime in the library that generated
 * programs run under. The library's core is compiled with -fsanitize=thread,
 * which turns each atomic access into a call. Here such a call is a point where
 * the schedule may let another thread go on. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"

/* Defined in the program, in schedule.c and ways.c. */
void schedule_point(void);
void schedule_access(const void *at, size_t bytes, enum access access);
extern bool ways_watched;

static inline void access_note(const volatile void *at, size_t bytes,
			       enum access access)
{
	if (__builtin_expect(ways_watched, false))
		schedule_access((const void *)at, bytes, access);
}

#define EMPTY(name, parameters) \
	void name parameters; \
	void name parameters \
	{ \
	}

#define UNUSED __attribute__((unused))
#define PLAIN(name, bytes, access) \
	void name(void *at); \
	void name(void *at) \
	{ \
		access_note(at, bytes, access); \
	}
#define ACCESS(bytes) \
	PLAIN(__tsan_read##bytes, bytes, ACCESS_READ) \
	PLAIN(__tsan_write##bytes, bytes, ACCESS_WRITE) \
	PLAIN(__tsan_unaligned_read##bytes, bytes, ACCESS_READ) \
	PLAIN(__tsan_unaligned_write##bytes, bytes, ACCESS_WRITE)
#define RANGE(name, access) \
	void name(void *at, size_t bytes); \
	void name(void *at, size_t bytes) \
	{ \
		if (bytes) \
			access_note(at, bytes, access); \
	}

/* The memory order makes no difference to the access, as one thread of the
 * program runs at a time. Relaxed changes and loads, such as those of counters,
 * are no points, as nothing relies on their order. All stores are points. */
#define CHANGE(type, bits, name, builtin, relaxed) \
	type __tsan_atomic##bits##_##name(volatile type *, type, int); \
	type __tsan_atomic##bits##_##name(volatile type *at, type value, \
					  int order) \
	{ \
		if (order != __ATOMIC_RELAXED) \
			schedule_point(); \
		access_note(at, sizeof(*at), \
			    order == __ATOMIC_RELAXED ? relaxed \
						      : ACCESS_WRITE); \
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
		access_note(at, sizeof(*at), ACCESS_WRITE); \
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
		access_note(at, sizeof(*at), ACCESS_READ); \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST); \
	} \
	void __tsan_atomic##bits##_store(volatile type *, type, int); \
	void __tsan_atomic##bits##_store(volatile type *at, type value, \
					 int order) \
	{ \
		(void)order; \
		schedule_point(); \
		access_note(at, sizeof(*at), ACCESS_WRITE); \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST); \
	} \
	CHANGE(type, bits, exchange, __atomic_exchange_n, ACCESS_WRITE) \
	CHANGE(type, bits, fetch_add, __atomic_fetch_add, ACCESS_COUNT) \
	CHANGE(type, bits, fetch_sub, __atomic_fetch_sub, ACCESS_COUNT) \
	CHANGE(type, bits, fetch_or, __atomic_fetch_or, ACCESS_WRITE) \
	CHANGE(type, bits, fetch_and, __atomic_fetch_and, ACCESS_WRITE) \
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
RANGE(__tsan_read_range, ACCESS_READ)
RANGE(__tsan_write_range, ACCESS_WRITE)
ATOMIC(uint8_t, 8)
ATOMIC(uint32_t, 32)
ATOMIC(uint64_t, 64)
