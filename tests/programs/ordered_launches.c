#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <cuda.h>

#include "ordered.h"

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

/* Asks for what was freed in the same stream, under work. */
static void asked_again(CUstream stream)
{
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	used(asked(stream), stream);
	puts("used");
}

static void in_a_loose_stream_beside_one_that_ends(void)
{
	CUstream first = apart(), second = apart();

	mix();
	launch_loosely(first);
	launch_loosely(second);
	MUST(cuStreamDestroy(first));
	asked_again(second);
}

/* The handle is likely to be the same. */
static void in_a_stream_after_the_end_of_a_loose_one(void)
{
	CUstream stream = apart();

	mix();
	launch_loosely(stream);
	MUST(cuStreamDestroy(stream));
	asked_again(apart());
}

/* That of the other device is another one, with the same handle. */
static void in_the_legacy_stream_beside_a_loose_one(void)
{
	launch_loosely(NULL);
	device_entered(1);
	asked_again(NULL);
	go = true;
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
}

enum { LOOSE = 80 }; /* more than are noted */

static void in_a_stream_beside_many_loose_launches(void)
{
	CUstream stream = apart();

	mix();
	for (int i = 0; i < LOOSE; i++)
		launch_loosely(stream);
	asked_again(apart());
}

static void in_the_last_of_many_loose_streams(void)
{
	CUstream stream = NULL;

	mix();
	for (int i = 0; i < LOOSE; i++) {
		stream = apart();
		launch_loosely(stream);
	}
	asked_again(stream);
}

/* It is set by a fill: a second host function would wait for the end of the
 * first. */
static atomic_int arrived[1024] __attribute__((aligned(4096)));

static void register_arrived(void)
{
	MUST(cuMemHostRegister(arrived, sizeof(arrived),
			       CU_MEMHOSTREGISTER_PORTABLE));
}

static void await_other(void *unused)
{
	(void)unused;
	while (!*arrived)
		usleep(100);
}

static void arrive(CUstream stream)
{
	MUST(cuMemsetD32Async((CUdeviceptr)arrived, 1, 1, stream));
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

/* Other streams have nothing to wait for: the work may wait for them. */
static void beside_a_loose_launch_in_a_full_stream(void)
{
	CUstream stream = apart(), other = apart();
	CUdeviceptr block;
	pthread_t first;

	mix();
	MUST(cuMemFreeAsync(over(asked(other)), other));
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	block = asked(stream);
	for (int i = 0; i < 14; i++)
		used(block, stream);
	pthread_create(&first, NULL, launches_first, stream);
	usleep(50000);
	made(CU_STREAM_DEFAULT);
	launch_loosely(other);
	go = true;
	pthread_join(first, NULL);
	puts("at once");
}

/* As a collective that one thread launches on two devices: the first part is
 * not over before the second has come. */
static void in_a_launch_that_another_device_waits_for(void)
{
	CUcontext other;
	CUstream first, second;

	mix();
	register_arrived();
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
	arrive(second);
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
	puts("over");
}

/* The same on one device. */
static void in_a_launch_that_another_stream_waits_for(void)
{
	CUstream first = apart(), second = apart();

	mix();
	register_arrived();
	MUST(cuMemFreeAsync(over(asked(second)), second));
	MUST(cuLaunchHostFunc(first, await_other, NULL));
	launch_loosely(second);
	arrive(second);
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

const struct ordered_case ordered_launches[] = {
	CASE(in_a_stream_of_two_loose_launches),
	CASE(beside_a_loose_launch_in_a_full_stream),
	CASE(in_a_loose_stream_beside_one_that_ends),
	CASE(in_a_stream_after_the_end_of_a_loose_one),
	CASE(in_the_legacy_stream_beside_a_loose_one),
	CASE(in_a_stream_beside_many_loose_launches),
	CASE(in_the_last_of_many_loose_streams),
	CASE(in_a_launch_that_another_device_waits_for),
	CASE(in_a_launch_that_another_stream_waits_for),
	CASE(in_the_legacy_stream_of_a_part),
	CASE(in_the_legacy_stream_after_a_part),
	CASE(in_a_threads_own_stream_of_a_part),
	CASE(after_a_wait_for_a_part),
	{0},
};
