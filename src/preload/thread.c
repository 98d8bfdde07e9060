#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/file_stat.h"
#include "loader.h"
#include "syscall_filter.h"
#include "thread.h"

enum function {
	ONCE,
	KEY_CREATE,
	SETSPECIFIC,
	CREATE,
	SETSTACKSIZE,
	TIMEDJOIN,
	DETACH,
	TRYLOCK,
	FUNCTIONS
};

static void *function_find(enum function which)
{
	static const char *const names[] = {"pthread_once",
					    "pthread_key_create",
					    "pthread_setspecific",
					    "pthread_create",
					    "pthread_attr_setstacksize",
					    "pthread_timedjoin_np",
					    "pthread_detach",
					    "pthread_mutex_trylock"};
	static void *_Atomic found[FUNCTIONS];
	void *function =
		atomic_load_explicit(&found[which], memory_order_acquire);

	if (!function) {
		function = loader_function(names[which]);
		atomic_store(&found[which], function);
	}
	return function;
}

/* To look for a function takes the loader's lock. Whoever has that, in the
 * constructor of a library, may wait for what is done once. So nothing is
 * looked for meanwhile. */
static void functions_find(void)
{
	for (int i = 0; i < FUNCTIONS; i++)
		function_find((enum function)i);
}

/* A process without a libpthread has one thread. */
void once_run(struct once *once, void (*run)(void))
{
	__typeof__(&pthread_once) found;
	int before = PTHREAD_CANCEL_ENABLE; /* in case nobody sets it */

	if (atomic_load_explicit(&once->done, memory_order_acquire))
		return;
	functions_find();
	found = function_find(ONCE);
	/* If the thread were cancelled, what `run` opens and takes would be
	 * lost. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	if (found)
		found(&once->control, run);
	else
		run();
	pthread_setcancelstate(before, NULL);
	atomic_store_explicit(&once->done, true, memory_order_release);
}

/* once_run has found the function by then, so the loader's lock is not
 * taken. */
bool thread_trylock(pthread_mutex_t *lock)
{
	__typeof__(&pthread_mutex_trylock) found = function_find(TRYLOCK);

	return found && !found(lock);
}

void thread_key_open(struct thread_key *key, void (*ended)(void *))
{
	__typeof__(&pthread_key_create) found = function_find(KEY_CREATE);

	key->open = found && !found(&key->key, ended);
}

void thread_key_set(const struct thread_key *key, const void *value)
{
	__typeof__(&pthread_setspecific) found =
		key->open ? function_find(SETSPECIFIC) : NULL;

	if (found)
		found(key->key, value);
}

int thread_start(void *(*run)(void *), void *arg, size_t stack_size,
		 pthread_t *thread)
{
	__typeof__(&pthread_create) create = function_find(CREATE);
	__typeof__(&pthread_attr_setstacksize) set_size =
		function_find(SETSTACKSIZE);
	pthread_attr_t attr;
	sigset_t all, before;
	int res;

	if (!create || !set_size)
		return ENOSYS;
	sigfillset(&all);
	/* Changes the mask of the calling thread only: glibc's sigprocmask does
	 * what its pthread_sigmask does, which was not part of libc until
	 * 2.32. */
	sigprocmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	set_size(&attr, stack_size);
	res = create(thread, &attr, run, arg);
	if (res == EINVAL) { /* the program's thread-local data needs more */
		set_size(&attr, 8 << 20);
		res = create(thread, &attr, run, arg);
	}
	pthread_attr_destroy(&attr);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return res;
}

void thread_join(pthread_t thread, int seconds)
{
	__typeof__(&pthread_timedjoin_np) join = function_find(TIMEDJOIN);
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += seconds;
	if (join)
		join(thread, NULL, &end);
}

void thread_detach(void)
{
	__typeof__(&pthread_detach) detach = function_find(DETACH);

	if (detach)
		detach(pthread_self());
}

bool thread_is_main(void)
{
	return syscall(SYS_gettid) == getpid();
}

/* A main thread that has ended has no memory that could be read. If a filter
 * forbids this question, a process without an executable is one whose main
 * thread has ended. */
bool thread_main_ended(void)
{
	char from = 0, to;
	const struct iovec remote = {&from, 1}, local = {&to, 1};
	struct stat st;
	char path[1];

	if (!syscall_filter_kills()) {
		if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1)
			return false;
		if (errno == ESRCH)
			return true;
	}
	return readlink("/proc/self/exe", path, sizeof(path)) < 0 &&
	       !file_stat("/proc/self/task", &st, 0);
}
