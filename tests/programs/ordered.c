#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ordered.h"

CUcontext context;

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

void *lets_go(void *unused)
{
	(void)unused;
	usleep(100000);
	go = true;
	return NULL;
}

void forbid(unsigned int call, unsigned int action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {4, filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(1);
}

CUstream made(unsigned int flags)
{
	CUstream stream;

	MUST(cuStreamCreate(&stream, flags));
	return stream;
}

CUstream apart(void)
{
	return made(CU_STREAM_NON_BLOCKING);
}

CUdeviceptr begun(CUdeviceptr block, size_t size)
{
	if (sim_own)
		sim_own(block, size, "a block");
	return block;
}

CUdeviceptr asked(CUstream stream)
{
	CUdeviceptr block;

	MUST(cuMemAllocAsync(&block, SIZE, stream));
	return begun(block, SIZE);
}

CUdeviceptr over(CUdeviceptr block)
{
	if (sim_disown)
		sim_disown(block);
	return block;
}

CUdeviceptr asked_and_used(CUstream stream)
{
	CUdeviceptr block = asked(stream);

	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuMemsetD8Async(block, 1, SIZE, stream));
	return block;
}

void mix(void)
{
	for (int i = 0; i < 2; i++) {
		CUstream stream = apart();
		CUdeviceptr block;

		MUST(cuMemAllocAsync(&block, 1, stream));
		MUST(cuMemsetD8Async(begun(block, 1), 1, 1, stream));
		MUST(cuMemFreeAsync(over(block), stream));
		MUST(cuStreamSynchronize(stream));
	}
}

void used(CUdeviceptr block, CUstream stream)
{
	MUST(cuMemsetD8Async(block, 2, SIZE, stream));
}

void compare(CUdeviceptr block, CUdeviceptr before)
{
	puts(block == before ? "the same" : "another");
}

void end(void)
{
	go = true;
	MUST(cuCtxSynchronize());
}

CUevent event_new(void)
{
	CUevent event;

	MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	return event;
}

CUcontext device_entered(int device)
{
	CUcontext entered;

	MUST(cuDevicePrimaryCtxRetain(&entered, device));
	MUST(cuCtxSetCurrent(entered));
	return entered;
}

unsigned long long figure(CUmemoryPool pool, CUmemPool_attribute what)
{
	cuuint64_t value;

	MUST(cuMemPoolGetAttribute(pool, what, &value));
	return value;
}

void lasting(void *unused)
{
	(void)unused;
	usleep(100000);
}

size_t free_bytes(void)
{
	size_t bytes, total;

	MUST(cuMemGetInfo(&bytes, &total));
	return bytes;
}

enum { HANG_SECONDS = 110 };

static const struct ordered_case *const lists[] = {
	ordered_streams,  ordered_legacy,  ordered_launches, ordered_events,
	ordered_devices,  ordered_larger,  ordered_pools,    ordered_peers,
	ordered_room,     ordered_figures, ordered_waits,    ordered_marks,
	ordered_captures, ordered_unseen,  ordered_guards,
};

static const struct ordered_case *case_find(const char *name)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (const struct ordered_case *at = lists[i]; at->name; at++)
			if (!strcmp(name, at->name))
				return at;
	return NULL;
}

/* The program has so many blocks from the start: in a pool that places them
 * they take the free bytes that would serve otherwise. */
static void have(int blocks)
{
	CUdeviceptr block;

	for (int i = 0; i < blocks; i++) {
		MUST(cuMemAlloc(&block, SIZE));
		begun(block, SIZE);
	}
}

int main(int count, char **words)
{
	const struct ordered_case *found =
		count > 1 ? case_find(words[1]) : NULL;

	if (!found) {
		puts("no such case");
		return 1;
	}
	alarm(HANG_SECONDS);
	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&context, 0));
	MUST(cuCtxSetCurrent(context));
	have(count > 2 ? atoi(words[2]) : 0);
	found->run();
	end();
	return 0;
}
