#include "awaited.h"

#include <stdatomic.h>
#include <time.h>

#include "ring.h"

enum { MOMENTS = 100, MOMENT_NS = 1000000 };

static _Atomic uint64_t asked; /* in ticks; 0: nobody waits */

void awaited_ask(void)
{
	const struct timespec moment = {0, MOMENT_NS};

	atomic_store(&asked, record_clock());
	for (int i = 0; i < MOMENTS && record_is_on() && atomic_load(&asked);
	     i++)
		nanosleep(&moment, NULL);
}

bool awaited_is_taken(uint64_t until)
{
	uint64_t ticks = atomic_load(&asked);

	return ticks && ticks <= until;
}

void awaited_written(void)
{
	atomic_store(&asked, 0);
}
