#include "clock.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

bool record_clock_counts;

/* Whether the processor says that its counter runs at one speed at all times,
 * also while it sleeps (CPUID 80000007H, EDX bit 8). Linux keeps the counters
 * of all processors together then. */
void record_clock_open(void)
{
#ifdef __x86_64__
	static bool known;
	unsigned int a, b, c, d = 0;

	if (!known)
		record_clock_counts =
			__get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1 << 8;
	known = true;
#endif
}

void record_scale_begin(struct record_scale *scale)
{
	*scale = (struct record_scale){.length = 1};
	scale->ns = record_clock_ns();
	scale->ticks = scale->last_ticks = record_clock();
}

uint64_t record_scale_turn(struct record_scale *scale)
{
	uint64_t ns = record_clock_ns() - scale->ns, ticks = record_clock();
	bool first = scale->last_ticks == scale->ticks;
	uint64_t expected = first ? 0 : record_scale_ns(scale, ticks);

	/* What was written stays as it is: a step back would put events before
	 * earlier ones. */
	scale->last = expected > ns ? expected : ns;
	scale->last_ticks = ticks;
	if (record_clock_counts && ticks > scale->ticks && ns)
		scale->length = (double)ns / (double)(ticks - scale->ticks);
	return ticks;
}

uint64_t record_scale_ns(const struct record_scale *scale, uint64_t ticks)
{
	int64_t since = (int64_t)(ticks - scale->last_ticks);
	int64_t ns =
		(int64_t)scale->last + (int64_t)((double)since * scale->length);

	return ns > 0 ? (uint64_t)ns : 0;
}
