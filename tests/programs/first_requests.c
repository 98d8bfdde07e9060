/* Two threads make the process's first requests. One of them is in a
 * constructor, where it has the loader's lock.
 * Usage: first_requests LIBRARY [plugged | keyed]
 * LIBRARY has that constructor, which waits until the other thread waits, or is
 * served. With "plugged", a plug-in calls in_constructor for the other thread:
 * the library is loaded while that thread opens its plug-ins. With "keyed", it
 * is loaded while that thread makes a key of pthread's for mnm, and the
 * constructor's request waits for that thread. Prints "served" if all went
 * well, and dlerror tells nothing of what plug-ins met. */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000 };

static CUcontext context;
static sem_t go;
static atomic_int failed;
static atomic_int awaited; /* id of the thread to wait for; -1: it is back */
static _Thread_local bool is_other;
static bool late; /* the library is loaded while the other one asks */
static bool keyed;
static __typeof__(&pthread_key_create) key_create;

__attribute__((visibility("default"))) void in_constructor(void);

static void check(int result)
{
	if (result)
		failed = 1;
}

static void request(void)
{
	CUdeviceptr block;

	check(cuMemAlloc(&block, SIZE));
	check(dlerror() != NULL);
	check(cuMemFree(block));
}

/* Whether the thread sleeps or has ended. */
static bool waits(int thread)
{
	char path[64], text[256] = "";
	bool ended;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (!file)
		return true;
	ended = !fgets(text, sizeof(text), file);
	fclose(file);
	return ended || strstr(text, ") S ");
}

/* Lets the waiting thread go on, and waits until it waits for something
 * else. */
static void let_go(void)
{
	sem_post(&go);
	while (!awaited || (awaited > 0 && !waits(awaited)))
		sched_yield();
}

/* In the place of pthread's: what mnm looks for, it finds here. */
__attribute__((visibility("default"))) int pthread_key_create(
	pthread_key_t *key, void (*ended)(void *))
{
	if (is_other && keyed) {
		keyed = false;
		let_go();
	}
	if (!key_create) /* before main, by a sanitizer */
		key_create = dlsym(RTLD_NEXT, "pthread_key_create");
	return key_create(key, ended);
}

static void *other_run(void *unused)
{
	check(cuCtxSetCurrent(context));
	is_other = true;
	if (!late) {
		sem_wait(&go);
		awaited = gettid();
	}
	request();
	if (!late)
		awaited = -1;
	return unused;
}

void in_constructor(void)
{
	if (is_other || !late)
		let_go();
	if (!is_other)
		request();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	alarm(60); /* a longer run counts as a hang */
	late = argc > 2;
	keyed = late && !strcmp(argv[2], "keyed");
	key_create = dlsym(RTLD_NEXT, "pthread_key_create");
	sem_init(&go, 0, 0);
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	check(pthread_create(&thread, NULL, other_run, NULL));
	if (late) {
		sem_wait(&go);
		awaited = gettid();
	}
	check(!dlopen(argv[1], RTLD_NOW | RTLD_LOCAL));
	if (late)
		awaited = -1;
	check(pthread_join(thread, NULL));
	puts(failed ? "failed" : "served");
	return failed;
}
