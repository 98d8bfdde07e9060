#include "tally.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "entries.h"

struct tally {
	unsigned long counts[CALL_COUNT]; /* first: threads know this address */
	atomic_bool taken;                /* some thread counts in it */
	struct tally *next;
};

/* The counts of tally_number(), and of threads that find no memory for a table
 * of their own: they may lose a count. */
static struct tally shared;
/* This list is never shortened. A table outlives its thread and goes to a
 * later one. */
static _Atomic(struct tally *) tallies;
static pthread_key_t ended;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ended(void *tally)
{
	self.tally = NULL;
	atomic_store(&((struct tally *)tally)->taken, false);
}

static void key_open(void)
{
	pthread_key_create(&ended, thread_ended);
}

static struct tally *tally_spare(void)
{
	for (struct tally *t = tallies; t; t = t->next)
		if (!atomic_exchange(&t->taken, true))
			return t;
	return NULL;
}

static struct tally *tally_new(void)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	if (!tally)
		return NULL;
	tally->taken = true;
	tally->next = tallies;
	while (!atomic_compare_exchange_weak(&tallies, &tally->next, tally))
		;
	return tally;
}

void tally_open(void)
{
	struct tally *tally = tally_spare();

	if (!tally)
		tally = tally_new();
	self.tally = tally ? tally->counts : shared.counts;
	if (!tally)
		return;
	pthread_once(&once, key_open);
	pthread_setspecific(ended, tally);
}

unsigned long tally_number(unsigned id)
{
	return 1 + __atomic_fetch_add(&shared.counts[id], 1, __ATOMIC_RELAXED);
}

unsigned long tally_total(unsigned id)
{
	unsigned long total =
		__atomic_load_n(&shared.counts[id], __ATOMIC_RELAXED);

	for (struct tally *t = tallies; t; t = t->next)
		total += __atomic_load_n(&t->counts[id], __ATOMIC_RELAXED);
	return total;
}
