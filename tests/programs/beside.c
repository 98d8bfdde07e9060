#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beside.h"

enum { HANG_SECONDS = 110, LOOKS = 30, LOOKS_MOST = 2000 };

void must(CUresult res, const char *call)
{
	if (!res)
		return;
	printf("%s: %d\n", call, (int)res);
	exit(1);
}

atomic_bool go;

void held(void *unused)
{
	(void)unused;
	while (!go)
		usleep(100);
}

void nothing(void *unused)
{
	(void)unused;
}

static void *caller_run(void *arg)
{
	struct caller *caller = arg;

	caller->id = (int)syscall(SYS_gettid);
	caller->call();
	return NULL;
}

static char state_of(int thread)
{
	char path[64], line[256] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (!file)
		return 'X'; /* the thread has ended */
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : 'R';
}

void caller_start(struct caller *caller, void (*call)(void))
{
	caller->call = call;
	pthread_create(&caller->thread, NULL, caller_run, caller);
	while (!caller->id)
		usleep(100);
	for (int looks = 0, all = 0; looks < LOOKS && all < LOOKS_MOST;
	     looks++, all++) {
		if (state_of(caller->id) == 'R')
			looks = 0;
		usleep(1000);
	}
}

void caller_end(struct caller *caller)
{
	pthread_join(caller->thread, NULL);
}

CUdevice one, two;
CUcontext first, second;
CUstream stream, other;
CUdeviceptr block, spare;
void *pinned;

CUstream stream_new(void)
{
	CUstream made;

	MUST(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
	return made;
}

CUdeviceptr alloc(size_t size)
{
	CUdeviceptr made;

	MUST(cuMemAlloc(&made, size));
	return made;
}

CUcontext context_new(CUdevice device)
{
	CUcontext made;
#if CUDA_VERSION >= 13000
	MUST(cuCtxCreate(&made, NULL, 0, device));
#else
	MUST(cuCtxCreate(&made, 0, device));
#endif
	return made;
}

void open_unused(void)
{
	MUST(cuInit(0));
	MUST(cuDeviceGet(&one, 0));
	MUST(cuDevicePrimaryCtxRetain(&first, one));
	MUST(cuCtxSetCurrent(first));
	stream = stream_new();
}

void open_first(void)
{
	open_unused();
	MUST(cuLaunchHostFunc(stream, nothing, NULL));
}

void open_both(void)
{
	open_first();
	MUST(cuDeviceGet(&two, 1));
	MUST(cuDevicePrimaryCtxRetain(&second, two));
	MUST(cuCtxSetCurrent(second));
	other = stream_new();
	MUST(cuCtxSetCurrent(first));
}

void go_on(void)
{
	go = true;
	MUST(cuCtxSynchronize());
}

/* Makes two contexts that have had work. The work of `first` is still under way
 * if `waits`. `second` is current, and one of its two blocks is freed. */
void free_under_work(bool waits)
{
	open_first();
	second = context_new(one);
	other = stream_new();
	MUST(cuLaunchHostFunc(other, nothing, NULL));
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(first));
	MUST(cuLaunchHostFunc(stream, waits ? held : nothing, NULL));
	MUST(cuCtxSetCurrent(second));
	block = alloc(8192);
	MUST(cuMemFree(alloc(4096)));
}

/* Returns false if there is no case of that name. */
static bool run(const struct beside *at, const char *name)
{
	while (at->name && strcmp(at->name, name))
		at++;
	if (at->name)
		at->run();
	return at->name;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(HANG_SECONDS);
	if (argc == 2 &&
	    (run(beside_ends, argv[1]) || run(beside_frees, argv[1]) ||
	     run(beside_waits, argv[1])))
		return 0;
	fprintf(stderr, "usage: beside CASE\n");
	return 2;
}
