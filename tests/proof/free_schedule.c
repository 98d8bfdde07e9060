/* For builds with a sanitizer: the system schedules the threads. */
#include "schedule.h"

void schedule_open(uint64_t seed, int count)
{
	(void)seed;
	(void)count;
}

void schedule_start(int thread)
{
	(void)thread;
}

void schedule_enter(int thread)
{
	(void)thread;
}

void schedule_pass_on(void)
{
}

void schedule_join(int thread)
{
	(void)thread;
}

void schedule_pace(unsigned stay)
{
	(void)stay;
}

void schedule_yield(void)
{
}

bool schedule_hold(unsigned long n)
{
	(void)n;
	return false;
}

void schedule_ask(void)
{
}

void schedule_answered(void)
{
}
