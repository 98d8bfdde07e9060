/* Runs out of memory where something is held, or looks at what that changes.
 * Usage: runs_out HOW
 *
 *	driver, runtime	asks the driver or the runtime, in functions with names
 *	visit	while it visits what is loaded, so that its thread has the
 *		loader's lock
 *	visited	while another thread does, which waits for the request's end
 *	handler	in a signal handler
 *	cancel	in a thread that is to be cancelled
 *	counts	prints how often memory was asked of the C library before, and
 *		meanwhile
 *
 * Prints CUDA's code and errno, which was 77. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERRNO = 77, FIRST = 5000 };
#define TOO_MUCH ((size_t)1 << 40)

static CUcontext context;
static int code, number;
static sem_t visits, asked;
static __thread unsigned int mallocs; /* of the thread's own */

#define SEEN __attribute__((visibility("default")))
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

SEEN void *malloc(size_t size)
{
	mallocs++;
	return __libc_malloc(size);
}

SEEN void *calloc(size_t count, size_t size)
{
	mallocs++;
	return __libc_calloc(count, size);
}

SEEN void *realloc(void *ptr, size_t size)
{
	mallocs++;
	return __libc_realloc(ptr, size);
}

__attribute__((noinline)) static void ask_inside(int runtime)
{
	CUdeviceptr ptr;
	void *pointer;

	errno = ERRNO;
	if (runtime)
		code = (int)cudaMalloc(&pointer, TOO_MUCH);
	else
		code = (int)cuMemAlloc(&ptr, TOO_MUCH);
	number = errno;
	__asm__ volatile("");
}

__attribute__((noinline)) static void ask_outside(int runtime)
{
	ask_inside(runtime);
	__asm__ volatile("");
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info, (void)size, (void)unused;
	ask_outside(0);
	return 1;
}

static int wait_inside(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info, (void)size, (void)unused;
	sem_post(&visits);
	sem_wait(&asked);
	return 1;
}

static void *wait_for_it(void *unused)
{
	dl_iterate_phdr(wait_inside, NULL);
	return unused;
}

static int beside_a_visit(void)
{
	pthread_t thread;

	if (sem_init(&visits, 0, 0) || sem_init(&asked, 0, 0) ||
	    pthread_create(&thread, NULL, wait_for_it, NULL))
		return 2;
	sem_wait(&visits);
	ask_outside(0);
	sem_post(&asked);
	pthread_join(thread, NULL);
	return 0;
}

static void handle(int unused)
{
	(void)unused;
	ask_outside(0);
}

static int in_a_handler(void)
{
	const struct sigaction action = {.sa_handler = handle};

	return sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1);
}

static void *be_cancelled(void *ended)
{
	cuCtxSetCurrent(context);
	pthread_cancel(pthread_self());
	ask_outside(0);
	*(int *)ended = 1;
	return NULL;
}

static int with_a_cancel(void)
{
	pthread_t thread;
	int ended = 0;

	if (pthread_create(&thread, NULL, be_cancelled, &ended))
		return 2;
	pthread_join(thread, NULL);
	return !ended;
}

static int ready(void)
{
	CUdeviceptr ptr;

	return cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	       cuCtxSetCurrent(context) || cuMemAlloc(&ptr, FIRST);
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";
	int status = 0;
	unsigned int before;

	if (ready())
		return 2;
	before = mallocs;
	mallocs = 0;
	if (!strcmp(how, "visit"))
		dl_iterate_phdr(visit, NULL);
	else if (!strcmp(how, "visited"))
		status = beside_a_visit();
	else if (!strcmp(how, "handler"))
		status = in_a_handler();
	else if (!strcmp(how, "cancel"))
		status = with_a_cancel();
	else
		ask_outside(!strcmp(how, "runtime"));
	if (!strcmp(how, "counts"))
		printf("%u %u ", before, mallocs);
	printf("%d %d\n", code, number);
	return status;
}
