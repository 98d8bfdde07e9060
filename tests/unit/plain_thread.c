/* Stands in for src/preload/serving.c, and for src/preload/thread.c, which
 * finds these functions where a program may lack them. No filter is looked
 * for. */
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/serving.h"
#include "preload/syscall_filter.h"
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

/* A test may have its own of these. */
#pragma weak thread_start
#pragma weak thread_detach
#pragma weak thread_main_ended
#pragma weak thread_join
#pragma weak syscall_filter_kills_socket

int thread_start(void *(*run)(void *), void *arg, size_t stack_size,
		 pthread_t *thread)
{
	(void)stack_size;
	return pthread_create(thread, NULL, run, arg);
}

void thread_detach(void)
{
	pthread_detach(pthread_self());
}

bool thread_main_ended(void)
{
	return false;
}

bool thread_is_main(void)
{
	return syscall(SYS_gettid) == getpid();
}

void thread_join(pthread_t thread, int seconds)
{
	(void)seconds;
	pthread_join(thread, NULL);
}

bool syscall_filter_kills_socket(void)
{
	return false;
}

bool thread_trylock(pthread_mutex_t *lock)
{
	return !pthread_mutex_trylock(lock);
}
