/* Makes code as it runs, as CPython does for its functions: trampolines without
 * a frame pointer, which call what they are given. Prints where the first one
 * is; others follow every STEP bytes. Each line of its input is carried out and
 * answered:
 *
 *	call DEPTH SIZE    trampolines DEPTH - 1 to 0 call each other, and the
 *	                   last one a function that asks for memory
 *	thread DEPTH SIZE  the same in another thread
 *	fork DEPTH SIZE    the same in a forked child; answers how it ended
 *	direct SIZE        trampoline 0 asks for memory itself
 *	pairs COUNT        asks by trampoline 0 and frees as often */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP = 16, COUNT = 256, PAIR = 4096 };

/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1,
				     0x48, 0x83, 0xc4, 8, 0xc3};

typedef int evaluator(void **ptr, size_t size, long depth, void *unused);
typedef int trampoline(void **ptr, size_t size, long depth, evaluator *called);

static unsigned char *trampolines;

static int code_make(void)
{
	trampolines = mmap(NULL, (size_t)COUNT * STEP,
			   PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (trampolines == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < COUNT; i++)
		memcpy(trampolines + i * STEP, code, sizeof(code));
	return 0;
}

static trampoline *trampoline_at(long number)
{
	unsigned char *at = trampolines + number * STEP;
	trampoline *jump;

	memcpy(&jump, &at, sizeof(jump));
	return jump;
}

/* What follows a call keeps it from being the function's jump. */
#define AFTER __asm__ volatile("" : : : "memory")

__attribute__((noinline)) static int ask(void **ptr, size_t size, long depth,
					 void *unused)
{
	int res;

	(void)unused;
	res = depth ? trampoline_at(depth - 1)(ptr, size, depth - 1, ask)
		    : (int)cudaMalloc(ptr, size);
	AFTER;
	return res;
}

struct call {
	long depth;
	size_t size;
	int res;
};

static int call(long depth, size_t size)
{
	void *ptr;

	return depth > COUNT ? -1 : ask(&ptr, size, depth, NULL);
}

static void *run(void *arg)
{
	struct call *of = arg;

	of->res = call(of->depth, of->size);
	return NULL;
}

static int in_thread(long depth, size_t size)
{
	struct call of = {depth, size, -1};
	pthread_t thread;

	if (!pthread_create(&thread, NULL, run, &of))
		pthread_join(thread, NULL);
	return of.res;
}

static int in_child(long depth, size_t size)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		call(depth, size); /* CUDA need not work there */
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static int direct(size_t size)
{
	evaluator *called;
	void *ptr, *asked = (void *)cudaMalloc;

	memcpy(&called, &asked, sizeof(called));
	return trampoline_at(0)(&ptr, size, 0, called);
}

static int pairs(size_t count)
{
	void *ptr;
	int res = 0;

	for (size_t i = 0; i < count && !res; i++) {
		res = ask(&ptr, PAIR, 1, NULL);
		if (!res)
			res = (int)cudaFree(ptr);
	}
	return res;
}

static int line_do(const char *line)
{
	size_t size;
	long depth;

	if (sscanf(line, "call %ld %zu", &depth, &size) == 2)
		return call(depth, size);
	if (sscanf(line, "thread %ld %zu", &depth, &size) == 2)
		return in_thread(depth, size);
	if (sscanf(line, "fork %ld %zu", &depth, &size) == 2)
		return in_child(depth, size);
	if (sscanf(line, "direct %zu", &size) == 1)
		return direct(size);
	if (sscanf(line, "pairs %zu", &size) == 1)
		return pairs(size);
	return -1;
}

int main(void)
{
	char line[64];

	if (code_make())
		return 1;
	printf("%lx\n", (unsigned long)(uintptr_t)trampolines);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%d\n", line_do(line));
		fflush(stdout);
	}
	return 0;
}
