/* Makes pairs of an allocation and a free on a thread that is killed for any
 * system call except a write and its own end. Counts what else they take of the
 * host.
 * Usage: warm_pairs COUNT [KEPT]   KEPT blocks are live meanwhile
 * Prints "locks N mallocs N errors N". */
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

enum { KINDS = 3, LIVE = 20, WARM = 200 };

static long locks, mallocs, errors;
static __thread int counting;
static int pairs, kept;

/* Replaces libc's functions, for the libraries as well. */
#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

EXPORT void *malloc(size_t size)
{
	mallocs += counting;
	return __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	mallocs += counting;
	return __libc_calloc(count, size);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	locks += counting;
	return next(mutex);
}

/* Allocates blocks of several sizes; some are live at a time. */
static void turn(int count)
{
	static const size_t sizes[KINDS] = {700, 5000, (2 << 20) + 5000};
	void *live[LIVE] = {NULL};

	for (int i = 0; i < count + LIVE; i++) {
		void **at = &live[i % LIVE];

		errors += *at && cudaFree(*at);
		*at = NULL;
		errors += i < count && cudaMalloc(at, sizes[i % KINDS]);
	}
}

static void *work(void *unused)
{
	void *block;

	(void)unused;
	turn(WARM);
	for (int i = 0; i < kept; i++)
		errors += cudaMalloc(&block, 1);
	turn(WARM);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		errors++;
	counting = 1;
	turn(pairs);
	counting = 0;
	syscall(SYS_exit, 0); /* pthread_exit makes more calls */
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pairs = argc > 1 ? atoi(argv[1]) : 0;
	kept = argc > 2 ? atoi(argv[2]) : 0;
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	pthread_join(thread, NULL);
	printf("locks %ld mallocs %ld errors %ld\n", locks, mallocs, errors);
	return errors != 0;
}
