/* Two threads make the process's first requests. One of them is in a
 * constructor, where it has the loader's lock.
 * Usage: first_requests LIBRARY [plugged | told]   the library of that
 *                                                  constructor
 * Without a second word the constructor waits until the other thread waits, or
 * is served. With it, a plug-in calls in_constructor for the other thread: the
 * library is loaded while that thread opens its plug-ins. With "told" it is
 * loaded while that thread is held up in mnm's start, by a line of mnm's on a
 * stderr that is full. Prints "served" if
 * all went well, and dlerror tells nothing of what plug-ins met. */
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
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
static bool plugged, told;
static int lines[2]; /* stderr, if told */

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

static void *other_run(void *unused)
{
	check(cuCtxSetCurrent(context));
	is_other = true;
	if (!plugged) {
		sem_wait(&go);
		awaited = gettid();
	}
	request();
	if (!plugged)
		awaited = -1;
	return unused;
}

/* Nothing more fits into stderr. */
static void lines_fill(void)
{
	check(pipe(lines));
	check(fcntl(lines[1], F_SETFL, O_NONBLOCK));
	while (write(lines[1], "", 1) == 1)
		;
	check(fcntl(lines[1], F_SETFL, 0));
	check(dup2(lines[1], STDERR_FILENO) < 0);
}

static void lines_drain(void)
{
	char text[4096];

	check(fcntl(lines[0], F_SETFL, O_NONBLOCK));
	while (read(lines[0], text, sizeof(text)) > 0)
		;
}

void in_constructor(void)
{
	if (told)
		lines_drain();
	if (is_other || !plugged)
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
	plugged = argc > 2 && !strcmp(argv[2], "plugged");
	told = argc > 2 && !plugged;
	if (told)
		lines_fill();
	sem_init(&go, 0, 0);
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	check(pthread_create(&thread, NULL, other_run, NULL));
	if (plugged) {
		sem_wait(&go);
		awaited = gettid();
	}
	if (told)
		let_go();
	check(!dlopen(argv[1], RTLD_NOW | RTLD_LOCAL));
	if (plugged)
		awaited = -1;
	check(pthread_join(thread, NULL));
	puts(failed ? "failed" : "served");
	return failed;
}
