/* Stands in for src/preload/serving.c, and for src/preload/thread.c, which
 * finds these functions where a program may lack them. */
#include "preload/serving.h"
#include "preload/thread.h"

bool serving_is_on(void)
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
