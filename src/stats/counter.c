#include "counter.h"

#include <stdatomic.h>

#include "gate/gate.h"
#include "thread_stats.h"

static uint64_t own_value(const struct device *device, enum counter counter)
{
	return atomic_load_explicit(&device->counters[counter],
				    memory_order_relaxed);
}

/* The parts of totals. Nobody changes a total itself. */
static const struct {
	enum counter total, part;
} parts[] = {
#define PART(total, part) {COUNTER_##total, COUNTER_##part},
	COUNTER_PART_LIST
#undef PART
};

enum { PARTS = sizeof(parts) / sizeof(*parts) };

/* The gauge of a maximum is in a row before it, and no total is part of a
 * total. */
enum {
	SUM,
	GAUGE,
	MAXIMUM,
	TOTAL,
	WRONG,
#define MAXIMUM_OF(gauge)               KIND_##gauge == GAUGE ? MAXIMUM : WRONG
#define COUNTER(name, kind, unit, help) KIND_##name = kind,
	COUNTER_LIST
#undef COUNTER
#undef MAXIMUM_OF
};

#define COUNTER(name, kind, unit, help) \
	_Static_assert(KIND_##name != WRONG, #name " is of no gauge");
COUNTER_LIST
#undef COUNTER

#define PART(total, part) \
	_Static_assert(KIND_##total == TOTAL && KIND_##part < MAXIMUM, \
		       #part " is no part, or " #total " no total");
COUNTER_PART_LIST
#undef PART

static const unsigned char kinds[COUNTER_MAX] = {
#define COUNTER(name, kind, unit, help) KIND_##name,
	COUNTER_LIST
#undef COUNTER
};

/* What threads count of each counter; WORD_none: nothing. */
static const unsigned char word_of[COUNTER_MAX] = {
#define COUNTED(counter, word) [COUNTER_##counter] = WORD_##word,
	THREAD_COUNTER_LIST
#undef COUNTED
};

void counter_sub(struct device *device, enum counter counter, uint64_t n)
{
	atomic_fetch_sub_explicit(&device->counters[counter], n,
				  memory_order_relaxed);
}

void counter_raise(struct device *device, enum counter maximum, uint64_t value)
{
	uint64_t top = own_value(device, maximum);

	while (value > top &&
	       !atomic_compare_exchange_weak_explicit(
		       &device->counters[maximum], &top, value,
		       memory_order_relaxed, memory_order_relaxed))
		;
}

/* The threads are asked only if there seems to be a new maximum. */
void counter_raise_maximum(struct device *device, enum counter gauge)
{
	enum counter maximum = counter_maximum(gauge);

	if (counter_approx(device, gauge) > own_value(device, maximum))
		counter_raise(device, maximum, counter_get(device, gauge));
}

/* If one thread frees what another took, the free may have been seen and the
 * request not. In stream order nothing waits for a fence. */
static uint64_t shown(const struct device *device, enum counter counter,
		      uint64_t sum)
{
	if (counter == COUNTER_quarantined_bytes &&
	    atomic_load(&device->safe) == UINT64_MAX)
		return 0;
	return (int64_t)sum > 0 ? sum : 0;
}

/* Derives the values that nobody sets: totals, and maxima that have not been
 * noticed yet. */
static void follow(uint64_t values[COUNTER_MAX])
{
	enum counter maximum;

	for (size_t i = 0; i < PARTS; i++)
		values[parts[i].total] += values[parts[i].part];
	for (enum counter i = 0; i < COUNTER_MAX; i++) {
		maximum = counter_maximum(i);
		if (maximum != COUNTER_MAX && values[maximum] < values[i])
			values[maximum] = values[i];
	}
}

/* The device's own values first. For the bytes that wait for a fence, the own
 * value is what to add to all bytes that were freed since the threads began,
 * which never become less. */
void counters_get(const struct device *device, uint64_t values[COUNTER_MAX])
{
	struct thread_words words;

	for (enum counter i = 0; i < COUNTER_MAX; i++)
		values[i] = own_value(device, i);
	words = thread_words_sum(device);
	for (enum counter i = 0; i < COUNTER_MAX; i++)
		values[i] = shown(device, i, values[i] + words.of[word_of[i]]);
	follow(values);
}

uint64_t counter_get(const struct device *device, enum counter counter)
{
	uint64_t values[COUNTER_MAX], own = own_value(device, counter);

	if (kinds[counter] < MAXIMUM) {
		if (word_of[counter])
			own += thread_word_sum(device, word_of[counter]);
		return shown(device, counter, own);
	}
	counters_get(device, values);
	return values[counter];
}

int64_t counter_balance(const struct device *device, enum counter gauge)
{
	uint64_t own = own_value(device, gauge);

	return (int64_t)(own + thread_word_about(device, word_of[gauge]));
}

uint64_t counter_approx(const struct device *device, enum counter counter)
{
	uint64_t sum = 0;

	if (kinds[counter] != TOTAL)
		return shown(device, counter,
			     (uint64_t)counter_balance(device, counter));
	for (size_t i = 0; i < PARTS; i++)
		if (parts[i].total == counter)
			sum += counter_approx(device, parts[i].part);
	return sum;
}

uint64_t quarantine_set(struct device *device, uint64_t bytes)
{
	uint64_t freed = thread_word_sum(device, WORD_freed);
	_Atomic uint64_t *own = &device->counters[COUNTER_quarantined_bytes];

	return atomic_exchange(own, bytes - freed) + freed;
}

void device_count_alloc(struct device *device, size_t size, enum counter how)
{
	bool hit = how == COUNTER_hits;
	bool counted = thread_count_alloc(device, size, hit);

	if (!counted || !hit)
		counter_add(device, how, 1);
	if (!counted)
		counter_add(device, COUNTER_live_bytes, size);
}

void device_count_free(struct device *device, size_t size)
{
	if (thread_count_free(device, size))
		return;
	counter_sub(device, COUNTER_live_bytes, size);
	counter_add(device, COUNTER_frees, 1);
}

void device_uncount_free(struct device *device, size_t size)
{
	counter_add(device, COUNTER_live_bytes, size);
	counter_sub(device, COUNTER_frees, 1);
	if (thread_stats_own->device == device)
		thread_stats_sync(thread_stats_own);
}

void pressure_begin(struct device *device)
{
	device->pressed++;
	gate_recompute(device);
}

void pressure_end(struct device *device)
{
	device->pressed--;
	gate_recompute(device);
}

void device_claim(struct device *device, size_t span)
{
	atomic_fetch_add(&device->claim, span);
}

void device_unclaim(struct device *device, size_t span)
{
	atomic_fetch_sub(&device->claim, span);
}

void device_claim_unpooled(struct device *device, int64_t change)
{
	atomic_fetch_add(&device->claim, (uint64_t)change);
	atomic_fetch_add(&device->unpooled, (uint64_t)change);
}

void device_reserve(struct device *device, size_t span)
{
	counter_add(device, COUNTER_reserved_bytes, span);
}

void device_unreserve(struct device *device, size_t span)
{
	counter_sub(device, COUNTER_reserved_bytes, span);
	device_unclaim(device, span);
}
