#include <errno.h>
#include <signal.h>

#include "loader.h"
#include "thread.h"

/* Without a libpthread the process has one thread. */
void once_run(struct once *once, void (*run)(void))
{
	__typeof__(&pthread_once) found;

	if (atomic_load_explicit(&once->done, memory_order_acquire))
		return;
	found = loader_function("pthread_once");
	if (found)
		found(&once->control, run);
	else
		run();
	atomic_store_explicit(&once->done, true, memory_order_release);
}

void thread_key_open(struct thread_key *key, void (*ended)(void *))
{
	__typeof__(&pthread_key_create) found =
		loader_function("pthread_key_create");

	key->open = found && !found(&key->key, ended);
}

void thread_key_set(const struct thread_key *key, const void *value)
{
	__typeof__(&pthread_setspecific) found =
		key->open ? loader_function("pthread_setspecific") : NULL;

	if (found)
		found(key->key, value);
}

int thread_start(void *(*run)(void *), size_t stack_size)
{
	__typeof__(&pthread_create) create = loader_function("pthread_create");
	__typeof__(&pthread_attr_setstacksize) set_size =
		loader_function("pthread_attr_setstacksize");
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int res;

	if (!create || !set_size)
		return ENOSYS;
	sigfillset(&all);
	/* Of the calling thread alone: glibc's does what its pthread_sigmask
	 * does, which was not part of libc until 2.32. */
	sigprocmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	set_size(&attr, stack_size);
	res = create(&thread, &attr, run, NULL);
	if (res == EINVAL) { /* the program's thread-local data is larger */
		set_size(&attr, 8 << 20);
		res = create(&thread, &attr, run, NULL);
	}
	pthread_attr_destroy(&attr);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return res;
}
