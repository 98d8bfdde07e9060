/* Stands in for src/backing/thread.c, which finds these where a program may
 * lack them, and for src/core/state.c. */
#include "mem.h"
#include "thread.h"

bool mem_enabled(void)
{
	return true;
}

void once_run(struct once *once, void (*run)(void))
{
	pthread_once(&once->control, run);
}

void thread_key_open(struct thread_key *key, void (*ended)(void *))
{
	key->open = !pthread_key_create(&key->key, ended);
}

void thread_key_set(const struct thread_key *key, const void *value)
{
	pthread_setspecific(key->key, value);
}
