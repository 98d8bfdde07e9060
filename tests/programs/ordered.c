/* Memory that is asked for and freed in the order of streams. Each case prints
 * what it found. Work that lasts until `go` stands for a long kernel: what is
 * in use under it must not be handed out to others, and no call may wait for
 * it. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda.h>

#include "sim/check.h"

#pragma weak sim_own
#pragma weak sim_disown

enum { SIZE = 100000, HANG_SECONDS = 60 };

static CUcontext context;

#define MUST(call) must(call, #call)
static void must(CUresult res, const char *call)
{
	if (!res)
		return;
	printf("%s: %d\n", call, (int)res);
	exit(1);
}

static atomic_bool go;

static void held(void *unused)
{
	(void)unused;
	while (!go)
		usleep(100);
}

static CUstream made(unsigned int flags)
{
	CUstream stream;

	MUST(cuStreamCreate(&stream, flags));
	return stream;
}

static CUstream apart(void)
{
	return made(CU_STREAM_NON_BLOCKING);
}

static CUdeviceptr asked(CUstream stream)
{
	CUdeviceptr block;

	MUST(cuMemAllocAsync(&block, SIZE, stream));
	if (sim_own)
		sim_own(block, SIZE, "a block");
	return block;
}

/* The checker is to know that the block's life is over. */
static CUdeviceptr over(CUdeviceptr block)
{
	if (sim_disown)
		sim_disown(block);
	return block;
}

/* A block with work on it in that stream that lasts. */
static CUdeviceptr asked_and_used(CUstream stream)
{
	CUdeviceptr block = asked(stream);

	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuMemsetD8Async(block, 1, SIZE, stream));
	return block;
}

/* Several streams have had work, one after the other. */
static void mix(void)
{
	for (int i = 0; i < 2; i++) {
		CUstream stream = apart();
		CUdeviceptr block;

		MUST(cuMemAllocAsync(&block, 1, stream));
		MUST(cuMemsetD8Async(block, 1, 1, stream));
		MUST(cuMemFreeAsync(over(block), stream));
		MUST(cuStreamSynchronize(stream));
	}
}

/* Uses a block that was just asked for. The simulated device's checker looks
 * whether anything else may still use it. */
static void used(CUdeviceptr block, CUstream stream)
{
	MUST(cuMemsetD8Async(block, 2, SIZE, stream));
}

static void compare(CUdeviceptr block, CUdeviceptr before)
{
	puts(block == before ? "the same" : "another");
}

static void end(void)
{
	go = true;
	MUST(cuCtxSynchronize());
}

static void in_its_stream(void)
{
	CUstream stream = apart();
	CUdeviceptr block, next;

	mix();
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	next = asked(stream);
	used(next, stream);
	compare(next, block);
}

static void in_another_stream(void)
{
	CUstream stream = apart(), other = apart();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void in_another_stream_that_is_known(void)
{
	CUstream stream = apart(), other = apart();
	CUdeviceptr block;

	mix();
	used(asked(other), other);
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

/* CUDA's request and free in the legacy stream put the two others in order, as
 * these wait for it. A block that is handed out again has to be in order,
 * too. */
static void in_the_legacy_stream_beside_others_that_wait(void)
{
	CUstream stream = made(CU_STREAM_DEFAULT);
	CUstream other = made(CU_STREAM_DEFAULT);

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), NULL));
	for (int i = 0; i < 4; i++)
		used(asked(NULL), other);
	puts("used");
}

static void in_the_legacy_stream(void)
{
	CUdeviceptr block, next;

	mix();
	block = asked_and_used(NULL);
	MUST(cuMemFreeAsync(over(block), CU_STREAM_LEGACY));
	next = asked(NULL);
	used(next, NULL);
	compare(next, block);
}

static void in_the_legacy_stream_before_another_waits(void)
{
	CUstream stream, other;
	CUdeviceptr next;

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), NULL));
	stream = made(CU_STREAM_DEFAULT);
	next = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(next), NULL));
	other = made(CU_STREAM_DEFAULT);
	for (int i = 0; i < 4; i++)
		used(asked(NULL), other);
	puts("used");
}

static void in_a_stream_after_its_end(void)
{
	CUstream stream = apart(), later;

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuStreamDestroy(stream));
	for (int i = 0; i < 4; i++) {
		later = apart();
		used(asked(later), later);
	}
	puts("used");
}

/* One stream has been alone for a while, so that its order is enough. */
static void alone(CUstream stream)
{
	for (int i = 0; i < 3; i++) {
		CUdeviceptr block;

		MUST(cuMemAlloc(&block, 1));
		MUST(cuMemsetD8Async(block, 1, 1, stream));
		MUST(cuMemFree(over(block)));
	}
	MUST(cuStreamSynchronize(stream));
}

/* The later stream must not get the number of the former one together with what
 * is kept by it. */
static void used_in_a_later_stream(void)
{
	CUstream later = apart();
	CUdeviceptr other;

	MUST(cuMemAllocAsync(&other, 2 * SIZE, later)); /* nothing idle fits */
	MUST(cuMemsetD8Async(other, 1, 2 * SIZE, later));
	for (int i = 0; i < 4; i++)
		used(asked(later), later);
	puts("used");
}

static void in_a_stream_alone_after_its_end(void)
{
	CUstream stream = apart();

	alone(stream);
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuStreamDestroy(stream));
	used_in_a_later_stream();
}

static void in_the_legacy_stream_alone(void)
{
	alone(NULL);
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), NULL));
	made(CU_STREAM_DEFAULT);
	used_in_a_later_stream();
}

static CUevent event_new(void)
{
	CUevent event;

	MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	return event;
}

static void in_a_stream_behind_an_event(void)
{
	CUstream stream = apart(), between = apart(), other = apart();
	CUevent first = event_new(), second = event_new();
	CUdeviceptr block, next;

	mix();
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(first, stream));
	MUST(cuStreamWaitEvent(between, first, 0));
	MUST(cuEventRecord(second, between));
	MUST(cuStreamWaitEvent(other, second, 0));
	next = asked(other);
	used(next, other);
	compare(next, block);
}

/* NCCL launches so. It changes nothing of the stream's order. */
static void behind_an_event_and_a_launch_of_a_domain(void)
{
	CUstream stream = apart();
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN};
	CUlaunchConfig config = {
		1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1,
	};

	attribute.value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	mix();
	if (!cuLaunchKernelEx(&config, NULL, NULL, NULL))
		puts("launched");
	in_a_stream_behind_an_event();
}

static void behind_an_event_of_before(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	used(asked(stream), stream);
	MUST(cuEventRecord(event, stream));
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void behind_an_event_of_another_stream(void)
{
	CUstream stream = apart(), third = apart(), other = apart();
	CUevent event = event_new();

	mix();
	used(asked(third), third);
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuEventRecord(event, third));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void behind_a_new_event(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuEventDestroy(event));
	for (int i = 0; i < 8; i++)
		MUST(cuStreamWaitEvent(other, event_new(), 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void behind_an_event_of_a_context(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuCtxRecordEvent(context, event));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

/* These calls may make events be recorded in another way. The simulated driver
 * refuses some of them. */
static void record_by_a_node(CUevent event)
{
	CUgraphNode node;
	CUgraph graph;

	MUST(cuGraphCreate(&graph, 0));
	cuGraphAddEventRecordNode(&node, graph, NULL, 0, event);
}

static void record_by_an_added_node(CUevent event)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
	CUgraphNode node;
	CUgraph graph;

	params.eventRecord.event = event;
	MUST(cuGraphCreate(&graph, 0));
	cuGraphAddNode(&node, graph, NULL, NULL, 0, &params);
}

static void record_by_a_launch(CUevent event)
{
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
	CUlaunchConfig config = {
		.hStream = apart(), .attrs = &attribute, .numAttrs = 1};

	attribute.value.launchCompletionEvent.event = event;
	cuLaunchKernelEx(&config, NULL, NULL, NULL);
}

static void record_by_a_process(CUevent event)
{
	CUipcEventHandle handle;

	cuIpcGetEventHandle(&handle, event);
}

static void record_by_context(CUevent event)
{
	cuCtxRecordEvent(context, event);
}

static void behind_events_that_are_recorded_by(void (*other_way)(CUevent))
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	other_way(event_new());
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	used(asked(other), other);
	puts("used");
}
#define RECORDED(how) \
	static void behind_events_recorded_##how(void) \
	{ \
		behind_events_that_are_recorded_by(record_##how); \
	}
RECORDED(by_a_node)
RECORDED(by_an_added_node)
RECORDED(by_a_launch)
RECORDED(by_a_process)
RECORDED(by_context)

static CUcontext device_entered(int device)
{
	CUcontext entered;

	MUST(cuDevicePrimaryCtxRetain(&entered, device));
	MUST(cuCtxSetCurrent(entered));
	return entered;
}

/* What is known of a stream that is gone is not true of a later one, on another
 * device whose epochs are younger. */
static void behind_an_event_of_a_stream_that_is_gone(void)
{
	CUstream stream = apart(), other, later;
	CUevent event = event_new();

	mix();
	used(asked(stream), stream);
	for (int i = 0; i < 1000; i++)
		MUST(cuEventRecord(event, stream));
	MUST(cuStreamDestroy(stream));
	MUST(cuCtxSynchronize());
	device_entered(1);
	later = apart();
	other = apart();
	MUST(cuMemFreeAsync(over(asked_and_used(later)), later));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
	go = true;
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
}

static void after_a_wait_for_an_event(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUdeviceptr block, next;

	mix();
	block = asked(stream);
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuEventSynchronize(event));
	next = asked(other);
	used(next, other);
	compare(next, block);
}

/* A launch that need not wait for all earlier work of its stream. It fails, but
 * mnm does not know that before. */
static void launch_loosely(CUstream stream)
{
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
	CUlaunchConfig config = {
		1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1,
	};

	attribute.value.programmaticStreamSerializationAllowed = 1;
	if (!cuLaunchKernelEx(&config, NULL, NULL, NULL))
		puts("launched");
}

static atomic_bool arrived;

static void await_other(void *unused)
{
	(void)unused;
	while (!arrived)
		usleep(100);
}

static void arrive(void *unused)
{
	(void)unused;
	arrived = true;
}

static void *lets_go(void *unused)
{
	(void)unused;
	usleep(100000);
	go = true;
	return NULL;
}

static void *launches_first(void *stream)
{
	MUST(cuCtxSetCurrent(context));
	launch_loosely(stream);
	return NULL;
}

/* The queue of the stream is full, so the first launch can't do yet what makes
 * it safe. The second one needs that as well. */
static void in_a_stream_of_two_loose_launches(void)
{
	CUstream stream = apart();
	CUdeviceptr block;
	pthread_t first, later;

	mix();
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	block = asked(stream);
	pthread_create(&later, NULL, lets_go, NULL);
	for (int i = 0; i < 14; i++)
		used(block, stream);
	pthread_create(&first, NULL, launches_first, stream);
	usleep(50000);
	launch_loosely(stream);
	puts(go ? "later" : "at once");
	pthread_join(first, NULL);
	pthread_join(later, NULL);
}

/* As a collective that one thread launches on two devices: the first part is
 * not over before the second has come. */
static void in_a_launch_that_another_device_waits_for(void)
{
	CUcontext other;
	CUstream first, second;

	mix();
	first = apart();
	MUST(cuDevicePrimaryCtxRetain(&other, 1));
	MUST(cuCtxSetCurrent(other));
	MUST(cuCtxEnablePeerAccess(context, 0));
	second = apart();
	MUST(cuMemFreeAsync(over(asked(second)), second));
	MUST(cuCtxSetCurrent(context));
	MUST(cuCtxEnablePeerAccess(other, 0));
	MUST(cuLaunchHostFunc(first, await_other, NULL));
	MUST(cuCtxSetCurrent(other));
	launch_loosely(second);
	MUST(cuLaunchHostFunc(second, arrive, NULL));
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
	puts("over");
}

/* The same on one device. */
static void in_a_launch_that_another_stream_waits_for(void)
{
	CUstream first = apart(), second = apart();

	mix();
	MUST(cuMemFreeAsync(over(asked(second)), second));
	MUST(cuLaunchHostFunc(first, await_other, NULL));
	launch_loosely(second);
	MUST(cuLaunchHostFunc(second, arrive, NULL));
	MUST(cuCtxSynchronize());
	puts("over");
}

static CUcontext green(void)
{
	CUdevResource resource;
	CUdevResourceDesc desc;
	CUgreenCtx green;
	CUcontext handle;

	MUST(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
	MUST(cuDevResourceGenerateDesc(&desc, &resource, 1));
	MUST(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	MUST(cuCtxFromGreenCtx(&handle, green));
	return handle;
}

/* Frees in a default stream of the context, and asks in that of a part of it,
 * whose handle is the same. */
static void in_default_streams(CUstream stream, bool part_first)
{
	CUdeviceptr block;
	CUcontext part;

	mix();
	if (!part_first)
		MUST(cuMemFreeAsync(over(asked(stream)), stream));
	part = green();
	MUST(cuCtxSetCurrent(part_first ? part : context));
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSetCurrent(part_first ? context : part));
	for (int i = 0; i < 4; i++)
		used(asked(stream), stream);
	MUST(cuCtxSetCurrent(context));
	puts("used");
}

static void in_the_legacy_stream_of_a_part(void)
{
	in_default_streams(NULL, false);
}

static void in_the_legacy_stream_after_a_part(void)
{
	in_default_streams(NULL, true);
}

static void in_a_threads_own_stream_of_a_part(void)
{
	in_default_streams(CU_STREAM_PER_THREAD, false);
}

/* The host waits for the part's default stream, not for the context's. */
static void after_a_wait_for_a_part(void)
{
	CUstream other = apart();
	CUcontext part;

	mix();
	part = green();
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), NULL));
	MUST(cuCtxSetCurrent(part));
	MUST(cuStreamSynchronize(NULL));
	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void freed_by_the_plain_call(void)
{
	CUstream stream = apart();
	CUdeviceptr block, next;

	mix();
	block = asked(stream);
	MUST(cuMemFree(over(block)));
	MUST(cuMemAlloc(&block, SIZE));
	if (sim_own)
		sim_own(block, SIZE, "a plain block");
	MUST(cuLaunchHostFunc(stream, held, NULL));
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	next = asked(stream);
	used(next, stream);
	compare(next, block);
}

static void *of_another_thread(void *unused)
{
	CUdeviceptr block, next;

	(void)unused;
	MUST(cuCtxSetCurrent(context));
	block = asked_and_used(CU_STREAM_PER_THREAD);
	MUST(cuMemFreeAsync(over(block), CU_STREAM_PER_THREAD));
	next = asked(CU_STREAM_PER_THREAD);
	used(next, CU_STREAM_PER_THREAD);
	compare(next, block);
	MUST(cuMemFreeAsync(over(next), CU_STREAM_PER_THREAD));
	return NULL;
}

static void in_a_threads_own_stream(void)
{
	pthread_t thread;

	mix();
	pthread_create(&thread, NULL, of_another_thread, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 4; i++)
		used(asked(CU_STREAM_PER_THREAD), CU_STREAM_PER_THREAD);
	puts("used");
}

static void with_policies_off(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUmemoryPool pool;
	CUdeviceptr block;
	int off = 0;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
	     i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++)
		MUST(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)i, &off));
	mix();
	block = asked(stream);
	used(asked(other), other);
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	compare(asked(other), block);
	compare(asked(stream), block);
	MUST(cuMemFreeAsync(over(block), stream));
	compare(asked(other), block);
	compare(asked(stream), block);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	compare(asked(other), block);
}

static void with_policies_switched_off(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUmemoryPool pool;
	CUdeviceptr block;
	int off = 0;

	mix();
	block = asked(stream);
	used(asked(other), other);
	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &off));
	MUST(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &off));
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	compare(asked(other), block);
}

/* No free of such memory waits, although mnm has memory to give back. */
static void freed_by_the_plain_call_under_work(void)
{
	CUstream stream = apart();
	CUdeviceptr block, plain[8];

	block = asked(stream);
	for (int i = 0; i < 8; i++)
		MUST(cuMemAlloc(&plain[i], (size_t)(i + 1) * 4 * SIZE));
	for (int i = 0; i < 8; i++)
		MUST(cuMemFree(plain[i]));
	MUST(cuLaunchHostFunc(apart(), held, NULL));
	MUST(cuMemFree(over(block)));
	puts("freed");
}

static void attributes(void)
{
	CUstream stream = apart();
	CUdeviceptr block = asked(stream), base;
	CUcontext its = (CUcontext)1;
	CUmemoryPool pool, of;
	CUipcMemHandle handle;
	unsigned long long id, later;
	int device = -1, capable = -1;
	size_t size;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuPointerGetAttribute(&its, CU_POINTER_ATTRIBUTE_CONTEXT, block));
	MUST(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				   block + 9));
	MUST(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				   block));
	MUST(cuPointerGetAttribute(
		&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
		block));
	MUST(cuMemGetAddressRange(&base, &size, block + 9));
	printf("context %p pool %d device %d legacy %d base %d size %zu ipc %d\n",
	       (void *)its, of == pool, device, capable, base == block, size,
	       (int)cuIpcGetMemHandle(&handle, block));
	MUST(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, block));
	MUST(cuMemFreeAsync(over(block), stream));
	block = asked(stream);
	MUST(cuPointerGetAttribute(&later, CU_POINTER_ATTRIBUTE_BUFFER_ID,
				   block));
	printf("ids differ: %d\n", id != later);
}

static unsigned long long figure(CUmemoryPool pool, CUmemPool_attribute what)
{
	cuuint64_t value;

	MUST(cuMemPoolGetAttribute(pool, what, &value));
	return value;
}

static void figures(void)
{
	cuuint64_t none = 0, some = 1, most = UINT64_MAX;
	CUstream stream = apart();
	CUdeviceptr block, second;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	block = asked(stream);
	second = asked(stream);
	printf("used %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuMemFreeAsync(over(second), stream));
	MUST(cuCtxSynchronize());
	printf("used %llu of %llu, kept %d\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 2 * SIZE);
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none));
	printf("then of %llu; reset to 1: %d\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
	       (int)cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH,
					  &some));
	MUST(cuMemFreeAsync(over(block), stream));
	block = asked(stream);
	second = asked(stream);
	printf("again %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH));
	MUST(cuMemFreeAsync(over(second), stream));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	MUST(cuMemPoolTrimTo(pool, 0));
	printf("at the end %llu of %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
}

/* The device has 64 MiB, of which the program's context takes some. */
enum { MEBI = 1 << 20, SHORT = 24 * MEBI };

static int request(CUdeviceptr *block, size_t size, CUstream stream)
{
	return (int)cuMemAllocAsync(block, size, stream);
}

/* Idle memory can't go back while there is work, and no request waits for it.
 * Once the program has waited, it can. */
static void while_memory_is_short(void)
{
	CUstream stream = apart();
	CUdeviceptr blocks[2], large;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	printf("%d", request(&large, 2 * SHORT, stream));
	go = true;
	MUST(cuStreamSynchronize(stream));
	printf(" then %d\n", request(&large, 2 * SHORT, stream));
}

/* A block of any size does, rather than none. */
static void with_larger_blocks_while_memory_is_short(void)
{
	CUstream stream = apart();
	CUdeviceptr block, small;

	MUST(cuMemAllocAsync(&block, 2 * SHORT, stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuMemFreeAsync(block, stream));
	printf("%d\n", request(&small, SHORT, stream));
}

static void lasting(void *unused)
{
	(void)unused;
	usleep(100000);
}

/* Without mnm, memory that cuMemFree has returned is there for all. */
static void beside_plain_memory_that_was_freed(void)
{
	CUstream stream = apart(), busy = apart();
	CUdeviceptr block, next;

	MUST(cuMemAlloc(&block, 2 * SHORT));
	MUST(cuMemFree(block));
	MUST(cuLaunchHostFunc(busy, lasting, NULL));
	printf("%d", request(&next, 2 * SHORT, stream));
	MUST(cuCtxSynchronize());
	MUST(cuMemFreeAsync(next, stream));
	MUST(cuCtxSynchronize());
	printf(" %d\n", request(&next, SHORT + SHORT / 2, stream));
}

static size_t free_bytes(void)
{
	size_t bytes, total;

	MUST(cuMemGetInfo(&bytes, &total));
	return bytes;
}

/* The device's memory is the pool's, free, or somebody else's; nothing is
 * both. What the program has waited for is the pool's up to the threshold. */
static void free_or_reserved(void)
{
	CUstream stream = apart();
	cuuint64_t most = UINT64_MAX, some = SHORT;
	size_t before = free_bytes();
	CUdeviceptr blocks[2];
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuStreamSynchronize(stream));
	printf("kept %llu, taken %zu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) / MEBI,
	       (before - free_bytes()) / MEBI);
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &some));
	MUST(cuStreamSynchronize(stream));
	printf("kept %llu, taken %zu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) / MEBI,
	       (before - free_bytes()) / MEBI);
}

/* What a pool has returned is its own again once it is in use. */
static void reserved_again(void)
{
	CUstream stream = apart();
	cuuint64_t most = UINT64_MAX;
	CUdeviceptr blocks[2];
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2; i++)
			MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
		for (int i = 0; i < 2; i++)
			MUST(cuMemFreeAsync(blocks[i], stream));
		printf("%llu ",
		       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       MEBI);
		if (round == 1)
			MUST(cuMemPoolSetAttribute(
				pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				&most));
		MUST(cuStreamSynchronize(stream));
		printf("%llu ",
		       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       MEBI);
	}
	puts("MiB");
}

/* What is idle is of the pool that had it last, until another one takes it. */
static void of_another_pool_in_another_stream(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUstream streams[2] = {apart(), apart()};
	cuuint64_t most = UINT64_MAX;
	CUdeviceptr blocks[2];
	CUmemoryPool pools[2];

	mix();
	for (int i = 0; i < 2; i++) {
		MUST(cuMemPoolCreate(&pools[i], &props));
		MUST(cuMemPoolSetAttribute(
			pools[i], CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &most));
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[i],
					     streams[i]));
	}
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], streams[i]));
	MUST(cuCtxSynchronize());
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[1],
					     streams[1]));
	for (int i = 0; i < 2; i++)
		printf("%llu ",
		       figure(pools[i], CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       SIZE);
	puts("blocks");
}

/* One block of a pool whose memory hardware can decompress into, and one of a
 * pool for a use that nobody knows yet. */
static void pools_for_a_use(void)
{
	const unsigned short uses[] = {CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS,
				       0x4};
	CUstream stream = apart();

	for (int i = 0; i < 2; i++) {
		CUmemPoolProps props = {
			.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
			.usage = uses[i]};
		CUmemoryPool pool;
		CUdeviceptr block;

		MUST(cuMemPoolCreate(&pool, &props));
		MUST(cuMemAllocFromPoolAsync(&block, SIZE, pool, stream));
		MUST(cuMemFreeAsync(block, stream));
	}
	MUST(cuStreamSynchronize(stream));
}

/* As the last, in one stream. */
static void of_another_pool_in_its_stream(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	cuuint64_t most = UINT64_MAX;
	CUstream stream = apart();
	CUdeviceptr blocks[2];
	CUmemoryPool pools[2];

	mix();
	for (int i = 0; i < 2; i++) {
		MUST(cuMemPoolCreate(&pools[i], &props));
		MUST(cuMemPoolSetAttribute(
			pools[i], CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &most));
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[i],
					     stream));
	}
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[1],
					     stream));
	for (int i = 0; i < 2; i++)
		printf("%llu ",
		       figure(pools[i], CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       SIZE);
	puts("blocks");
}

/* A block that CUDA serves, since a stream captures, and one of mnm's; never
 * both. */
static void figures_of_both(void)
{
	CUstream stream = apart(), capturing = apart();
	CUmemoryPool pool;
	CUdeviceptr block;
	CUgraph graph;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	MUST(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuStreamEndCapture(capturing, &graph));
	MUST(cuCtxSynchronize());
	printf("%d\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) < 2 * SIZE);
}

/* What no device has can't be had by giving memory back. */
static void of_more_than_there_is(void)
{
	CUstream stream = apart();
	CUdeviceptr block, huge;

	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	printf("%d", request(&huge, (size_t)1 << 40, stream));
	printf(" %d\n", (int)cuMemAlloc(&huge, (size_t)1 << 40));
}

static void a_pool_of_its_own(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemoryPool pool, of = NULL;
	CUstream stream = apart();
	CUdeviceptr block, plain;

	MUST(cuMemPoolCreate(&pool, &props));
	MUST(cuMemAllocFromPoolAsync(&block, SIZE, pool, stream));
	MUST(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				   block));
	printf("pool %d used %llu\n", of == pool,
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuDeviceSetMemPool(0, pool));
	plain = asked(stream);
	printf("used %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuMemPoolDestroy(pool));
	MUST(cuMemsetD8Async(block, 1, SIZE, stream));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuMemFreeAsync(over(plain), stream));
	MUST(cuStreamSynchronize(stream));
	asked(stream);
	asked(stream);
	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	printf("default used %llu, reserved %d\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 2 * SIZE);
}

static void shared_with(int device)
{
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAccess(pool, &access, 1));
	MUST(cuMemPoolGetAccess((CUmemAccess_flags *)&flags, pool,
				&access.location));
	printf("access %d\n", (int)flags);
}

static void filled_by_a_peer(CUdeviceptr block)
{
	MUST(cuMemsetD8(block, 7, SIZE));
	MUST(cuCtxSynchronize());
}

/* The legacy stream waits for the thread's own one, which waits for the
 * first. */
static void in_the_legacy_stream_behind_a_threads_own(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUdeviceptr block;
	pthread_t thread;

	mix();
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	block = asked_and_used(stream);
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(CU_STREAM_PER_THREAD, event, 0));
	MUST(cuMemFreeAsync(over(block), NULL));
	pthread_create(&thread, NULL, lets_go, NULL);
	MUST(cuStreamSynchronize(NULL));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	pthread_join(thread, NULL);
	puts("used");
}

/* A stream that waits for the legacy one: what is freed or asked for in it, and
 * then waited for, comes after the work of that one. */
static void behind_the_legacy_stream(bool asks)
{
	CUstream stream = made(CU_STREAM_DEFAULT), other = apart();
	CUdeviceptr block;
	pthread_t thread;

	mix();
	used(asked(stream), stream);
	block = asked_and_used(NULL);
	MUST(cuMemFreeAsync(over(block), stream));
	if (asks)
		block = asked(stream);
	pthread_create(&thread, NULL, lets_go, NULL);
	MUST(cuStreamSynchronize(stream));
	for (int i = 0; i < 4; i++)
		used(asks ? block : asked(other), other);
	pthread_join(thread, NULL);
	puts("used");
}

static void freed_behind_the_legacy_stream(void)
{
	behind_the_legacy_stream(false);
}

static void asked_for_behind_the_legacy_stream(void)
{
	behind_the_legacy_stream(true);
}

/* The handle of a stream that is gone becomes another one's. What was freed in
 * the first one's order waits for work elsewhere. */
static void in_a_stream_with_a_handle_of_before(void)
{
	CUstream stream = apart(), worker = apart(), before = stream;
	CUevent event = event_new();
	CUdeviceptr block;

	mix();
	block = asked_and_used(worker);
	MUST(cuEventRecord(event, worker));
	MUST(cuStreamWaitEvent(stream, event, 0));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuStreamDestroy(stream));
	for (int i = 0; i < 4; i++) {
		stream = apart();
		used(asked(stream), stream);
		if (stream == before)
			break;
	}
	puts("used");
}

static void *asks_in_its_own_stream(void *frees)
{
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	if (frees) {
		block = asked_and_used(CU_STREAM_PER_THREAD);
		MUST(cuMemFreeAsync(over(block), CU_STREAM_PER_THREAD));
	} else {
		used(asked(CU_STREAM_PER_THREAD), CU_STREAM_PER_THREAD);
	}
	return NULL;
}

/* The second thread's memory may lie where the first one's was. */
static void in_a_later_threads_own_stream(void)
{
	pthread_t thread;
	bool frees = true;

	mix();
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, asks_in_its_own_stream,
			       frees ? &frees : NULL);
		pthread_join(thread, NULL);
		frees = false;
	}
	puts("used");
}

/* While another stream captures, records are not followed. */
static void behind_an_event_recorded_during_a_capture(void)
{
	CUstream stream = apart(), third = apart(), other = apart();
	CUstream capturing = apart();
	CUevent event = event_new();
	CUgraph graph;

	mix();
	used(asked(third), third);
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
	MUST(cuEventRecord(event, third));
	MUST(cuStreamEndCapture(capturing, &graph));
	MUST(cuGraphDestroy(graph));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

/* Whoever has the table may make streams that mnm does not see. */
static void in_the_legacy_stream_before_a_table(void)
{
	CUuuid which = {{1}};
	const void *table;
	CUdeviceptr block;

	mix();
	block = asked_and_used(NULL);
	cuGetExportTable(&table, &which);
	MUST(cuMemFreeAsync(over(block), NULL));
	compare(asked(NULL), block);
}

enum { ROUNDS = 1500 };
static CUmemoryPool chosen[2];
static atomic_int turn; /* odd: the second pool is current, and stays so */

static void *chooses_pools(void *unused)
{
	(void)unused;
	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < 3 + i % 3; j++) {
			MUST(cuDeviceSetMemPool(0, chosen[0]));
			for (volatile int k = 0; k < i % 300; k++)
				;
		}
		MUST(cuDeviceSetMemPool(0, chosen[1]));
		turn++;
		while (turn % 2)
			sched_yield();
	}
	return NULL;
}

/* Asks for a block all the time. Once the other thread has chosen the second
 * pool, blocks have to be of that one. */
static void while_another_thread_chooses_pools(void)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
	};
	CUstream stream = apart();
	CUmemoryPool pool;
	CUdeviceptr block;
	pthread_t thread;
	int others = 0;
	bool known;

	MUST(cuMemPoolCreate(&chosen[0], &props));
	MUST(cuMemPoolCreate(&chosen[1], &props));
	pthread_create(&thread, NULL, chooses_pools, NULL);
	while (turn < 2 * ROUNDS) {
		MUST(cuMemAllocAsync(&block, SIZE, stream));
		known = turn % 2;
		MUST(cuMemFreeAsync(block, stream));
		if (!known)
			continue;
		MUST(cuMemAllocAsync(&block, SIZE, stream));
		MUST(cuPointerGetAttribute(
			&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, block));
		MUST(cuMemFreeAsync(block, stream));
		others += pool != chosen[1];
		turn++;
	}
	pthread_join(thread, NULL);
	printf("%d of others\n", others);
}

static void for_another_device(void)
{
	CUstream stream = apart();
	CUdeviceptr before, after;
	CUcontext own, peer;

	MUST(cuCtxGetCurrent(&own));
	peer = device_entered(1);
	MUST(cuCtxSetCurrent(own));
	before = asked(stream);
	shared_with(1);
	after = asked(stream);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(peer));
	filled_by_a_peer(before);
	filled_by_a_peer(after);
	MUST(cuCtxSetCurrent(own));
	MUST(cuMemFreeAsync(over(before), stream));
	MUST(cuMemFreeAsync(over(after), stream));
}

/* A pool is shared before anything is asked of it, and before the other device
 * has a context. */
static void for_another_device_at_first(void)
{
	CUstream stream = apart();
	CUdeviceptr block;
	CUcontext own;

	MUST(cuCtxGetCurrent(&own));
	shared_with(1);
	block = asked(stream);
	used(block, stream);
	MUST(cuStreamSynchronize(stream));
	device_entered(1);
	filled_by_a_peer(block);
	MUST(cuCtxSetCurrent(own));
	puts("used");
}

/* What the program itself says of the access between the contexts is answered
 * as if nobody else had said anything. */
static void for_another_device_beside_own_access(void)
{
	CUstream stream = apart();
	CUdeviceptr block = asked(stream);
	CUcontext own;

	MUST(cuCtxGetCurrent(&own));
	device_entered(1);
	MUST(cuCtxSetCurrent(own));
	shared_with(1);
	device_entered(1);
	printf("%d", (int)cuCtxDisablePeerAccess(own));
	printf(" %d", (int)cuCtxEnablePeerAccess(own, 0));
	printf(" %d", (int)cuCtxEnablePeerAccess(own, 0));
	printf(" %d", (int)cuCtxDisablePeerAccess(own));
	printf(" %d\n", (int)cuCtxDisablePeerAccess(own));
	filled_by_a_peer(block);
	MUST(cuCtxSetCurrent(own));
}

/* What is waited for is not work of the current context. */
static void with_another_device_current(void)
{
	CUstream stream = apart();
	CUdeviceptr block;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemAllocAsync(&block, SHORT, stream));
	MUST(cuMemFreeAsync(block, stream));
	device_entered(1);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(context));
	printf("reserved %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
}

enum { POOLS = 100 };

/* Each has a block of another size, which stays idle when the pool is gone. */
static void of_many_pools(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUstream stream = apart();
	unsigned long long used = 0;
	CUmemoryPool pool, of = NULL;
	CUdeviceptr block;

	for (int i = 0; i < POOLS; i++) {
		MUST(cuMemPoolCreate(&pool, &props));
		MUST(cuMemAllocFromPoolAsync(&block, SIZE * (i % 50 + 1), pool,
					     stream));
		used += figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
		MUST(cuMemPoolDestroy(pool));
		MUST(cuPointerGetAttribute(
			&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, block));
		MUST(cuMemFreeAsync(block, stream));
		MUST(cuStreamSynchronize(stream));
	}
	printf("used %llu, of the pool: %d\n", used / SIZE, of == pool);
}

static void of_a_pool_with_a_limit(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 4 * MEBI};
	CUdeviceptr blocks[2], third;
	CUstream stream = apart();
	CUmemoryPool pool;

	MUST(cuMemPoolCreate(&pool, &props));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], 2 * MEBI, pool,
					     stream));
	printf("%d",
	       (int)cuMemAllocFromPoolAsync(&third, 2 * MEBI, pool, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(over(blocks[i]), stream));
	MUST(cuStreamSynchronize(stream));
	for (int i = 2; i > 0; i--) /* idle ones would do for the second */
		printf(" %d", (int)cuMemAllocFromPoolAsync(&third, i * 2 * MEBI,
							   pool, stream));
	printf(", used %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) / MEBI);
}

/* While a stream captures, CUDA itself serves requests in others. */
static void of_a_pool_with_a_limit_beside_a_capture(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 8 * MEBI};
	CUstream stream = apart(), captured = apart();
	CUdeviceptr block;
	CUmemoryPool pool;
	CUgraph graph;

	MUST(cuMemPoolCreate(&pool, &props));
	for (int i = 0; i < 2; i++) {
		MUST(cuMemAllocFromPoolAsync(&block, 2 * MEBI, pool, stream));
		MUST(cuStreamBeginCapture(captured,
					  CU_STREAM_CAPTURE_MODE_RELAXED));
		MUST(cuMemAllocFromPoolAsync(&block, 2 * MEBI, pool, stream));
		printf("%d ", (int)cuMemAllocFromPoolAsync(&block, 6 * MEBI,
							   pool, stream));
		MUST(cuStreamEndCapture(captured, &graph));
		printf("%d ", (int)cuMemAllocFromPoolAsync(&block, 6 * MEBI,
							   pool, stream));
	}
	printf("used %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) / MEBI);
}

/* The figures of a pool never pass its limit. */
static void of_a_pool_with_a_limit_in_other_sizes(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 8 * MEBI};
	cuuint64_t most = UINT64_MAX;
	CUdeviceptr blocks[2];
	CUstream stream = apart();
	CUmemoryPool pool;

	MUST(cuMemPoolCreate(&pool, &props));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	MUST(cuMemAllocFromPoolAsync(&blocks[0], 8 * MEBI, pool, stream));
	MUST(cuMemFreeAsync(blocks[0], stream));
	MUST(cuStreamSynchronize(stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], 4 * MEBI, pool,
					     stream));
	printf("reserved %llu of %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) / MEBI,
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) / MEBI);
}

/* Memory is that of the stream's device, whatever context is current. */
static void in_a_stream_of_another_device(void)
{
	CUcontext peer, own;
	CUdeviceptr block;
	CUstream stream;
	int device = -1;

	mix();
	MUST(cuCtxGetCurrent(&own));
	MUST(cuDevicePrimaryCtxRetain(&peer, 1));
	MUST(cuCtxSetCurrent(peer));
	stream = apart();
	MUST(cuCtxSetCurrent(own));
	block = asked(stream);
	MUST(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				   block));
	printf("device %d\n", device);
	MUST(cuMemFreeAsync(over(block), stream));
}

/* Neither call succeeds, and the block stays the program's. */
static void in_a_stream_that_is_gone(void)
{
	CUstream gone = apart(), stream = apart();
	CUdeviceptr block, next;

	mix();
	block = asked(stream);
	MUST(cuStreamDestroy(gone));
	printf("%d", cuMemAllocAsync(&next, SIZE, gone) != CUDA_SUCCESS);
	printf(" %d", cuMemFreeAsync(block, gone) != CUDA_SUCCESS);
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	puts(" freed");
}

static void freed_twice(void)
{
	CUstream stream = apart();
	CUdeviceptr block = asked(stream);

	MUST(cuMemFreeAsync(over(block), stream));
	printf("%d", (int)cuMemFreeAsync(over(block), stream));
	printf(" %d", (int)cuMemFree(block));
	printf(" %d", (int)cuMemFreeAsync(0x1000, stream));
	printf(" %d", (int)cuMemAllocAsync(&block, 0, stream));
	printf(" %d\n", (int)cuMemAllocAsync(NULL, SIZE, stream));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name) \
	{ \
#name, name \
	}
	CASE(in_its_stream),
	CASE(in_another_stream),
	CASE(in_another_stream_that_is_known),
	CASE(in_the_legacy_stream),
	CASE(in_the_legacy_stream_beside_others_that_wait),
	CASE(in_the_legacy_stream_before_another_waits),
	CASE(in_a_stream_after_its_end),
	CASE(in_a_stream_alone_after_its_end),
	CASE(in_the_legacy_stream_alone),
	CASE(in_a_stream_behind_an_event),
	CASE(behind_an_event_and_a_launch_of_a_domain),
	CASE(behind_an_event_of_before),
	CASE(behind_an_event_of_another_stream),
	CASE(behind_a_new_event),
	CASE(behind_an_event_of_a_context),
	CASE(behind_events_recorded_by_a_node),
	CASE(behind_events_recorded_by_an_added_node),
	CASE(behind_events_recorded_by_a_launch),
	CASE(behind_events_recorded_by_a_process),
	CASE(behind_events_recorded_by_context),
	CASE(behind_an_event_of_a_stream_that_is_gone),
	CASE(after_a_wait_for_an_event),
	CASE(in_a_stream_of_two_loose_launches),
	CASE(in_a_launch_that_another_device_waits_for),
	CASE(in_a_launch_that_another_stream_waits_for),
	CASE(in_the_legacy_stream_of_a_part),
	CASE(in_the_legacy_stream_after_a_part),
	CASE(in_a_threads_own_stream_of_a_part),
	CASE(after_a_wait_for_a_part),
	CASE(freed_by_the_plain_call),
	CASE(freed_by_the_plain_call_under_work),
	CASE(in_a_threads_own_stream),
	CASE(with_policies_off),
	CASE(with_policies_switched_off),
	CASE(attributes),
	CASE(figures),
	CASE(while_memory_is_short),
	CASE(with_larger_blocks_while_memory_is_short),
	CASE(beside_plain_memory_that_was_freed),
	CASE(free_or_reserved),
	CASE(reserved_again),
	CASE(of_another_pool_in_another_stream),
	CASE(of_another_pool_in_its_stream),
	CASE(figures_of_both),
	CASE(of_more_than_there_is),
	CASE(a_pool_of_its_own),
	CASE(pools_for_a_use),
	CASE(in_the_legacy_stream_behind_a_threads_own),
	CASE(freed_behind_the_legacy_stream),
	CASE(asked_for_behind_the_legacy_stream),
	CASE(in_a_stream_with_a_handle_of_before),
	CASE(in_a_later_threads_own_stream),
	CASE(behind_an_event_recorded_during_a_capture),
	CASE(in_the_legacy_stream_before_a_table),
	CASE(while_another_thread_chooses_pools),
	CASE(for_another_device),
	CASE(for_another_device_at_first),
	CASE(for_another_device_beside_own_access),
	CASE(with_another_device_current),
	CASE(of_many_pools),
	CASE(of_a_pool_with_a_limit),
	CASE(of_a_pool_with_a_limit_beside_a_capture),
	CASE(of_a_pool_with_a_limit_in_other_sizes),
	CASE(in_a_stream_of_another_device),
	CASE(in_a_stream_that_is_gone),
	CASE(freed_twice),
};

int main(int count, char **words)
{
	alarm(HANG_SECONDS);
	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&context, 0));
	MUST(cuCtxSetCurrent(context));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (count > 1 && !strcmp(words[1], cases[i].name)) {
			cases[i].run();
			end();
			return 0;
		}
	puts("no such case");
	return 1;
}
