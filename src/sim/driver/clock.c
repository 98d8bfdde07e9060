#include "clock.h"

#include "thread.h"
#include "world.h"

void clock_reach(uint64_t time)
{
	if (time > self.now)
		self.now = time;
	if (self.now > world.latest)
		world.latest = self.now;
}

void clock_spend(uint64_t ns)
{
	if (ns)
		clock_reach(self.now + ns);
}

void clock_start(void)
{
	self.started = true;
	clock_reach(world.latest);
}

uint64_t clock_transfer(uint64_t bytes, uint64_t rate)
{
	return rate ? (uint64_t)((double)bytes * 1000.0 / (double)rate) : 0;
}

uint64_t clock_per_mib(uint64_t bytes, uint64_t price)
{
	if (!price)
		return 0;
	return (uint64_t)((double)bytes * (double)price / (1 << 20));
}
