/* Numbers of streams, and epochs, where there are two devices. */
#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

CUresult cuCtxCreate_v2(CUcontext *out, unsigned int flags, CUdevice device);

/* Asks in a stream of the second device, under its work. Then that goes on, and
 * the first device is current again. */
static void used_there(CUstream stream)
{
	for (int i = 0; i < 4; i++)
		used(asked(stream), stream);
	puts("used");
	go = true;
	MUST(cuCtxSynchronize());
	MUST(cuCtxSetCurrent(context));
}

/* A record that fails changes nothing: the event still stands for nothing. */
static void behind_an_event_that_was_not_recorded(void)
{
	CUevent event = event_new();
	CUstream stream, other;

	mix();
	device_entered(1);
	stream = apart();
	other = apart();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	if (!cuEventRecord(event, stream))
		puts("an event of another context");
	MUST(cuStreamWaitEvent(other, event, 0));
	used_there(other);
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
	used_there(other);
}

/* A stream of the first device is known to have come before one of the second.
 * Its number becomes that of a stream of the second device, whose epochs are
 * younger. */
static void behind_a_stream_of_another_device(void)
{
	CUstream stream = apart(), other, later;
	CUevent event = event_new();

	mix();
	used(asked(stream), stream);
	for (int i = 0; i < 1000; i++)
		MUST(cuEventRecord(event, stream));
	device_entered(1);
	other = apart();
	used(asked(other), other);
	MUST(cuStreamWaitEvent(other, event, 0));
	MUST(cuStreamDestroy(stream));
	MUST(cuEventSynchronize(event));
	MUST(cuCtxSetCurrent(context));
	MUST(cuCtxSynchronize());
	device_entered(1);
	later = apart();
	MUST(cuMemFreeAsync(over(asked_and_used(later)), later));
	used_there(other);
}

/* The same, of a stream whose end the program has waited for. */
static void after_a_wait_for_a_stream_of_another_device(void)
{
	CUstream stream = apart(), other, later;
	CUevent event = event_new();

	mix();
	used(asked(stream), stream);
	for (int i = 0; i < 1000; i++)
		MUST(cuEventRecord(event, stream));
	MUST(cuStreamSynchronize(stream));
	MUST(cuStreamDestroy(stream));
	MUST(cuCtxSynchronize());
	device_entered(1);
	later = apart();
	other = apart();
	MUST(cuMemFreeAsync(over(asked_and_used(later)), later));
	used_there(other);
}

/* A stream of the first device comes after one of the second. Then its number
 * becomes that of a stream of the second device that does not. */
static void behind_what_another_device_waits_for(void)
{
	CUstream stream = apart(), first, second, other, later;
	CUevent event;

	mix();
	used(asked(stream), stream);
	device_entered(1);
	other = apart();
	event = event_new();
	MUST(cuMemFreeAsync(over(asked_and_used(other)), other));
	MUST(cuEventRecord(event, other));
	MUST(cuCtxSetCurrent(context));
	MUST(cuStreamWaitEvent(stream, event, 0));
	MUST(cuStreamDestroy(stream));
	/* A fence makes the number free. */
	first = apart();
	second = apart();
	MUST(cuMemFreeAsync(over(asked_and_used(first)), first));
	used(asked(second), second);
	device_entered(1);
	later = apart();
	used_there(later);
}

/* Default streams of two devices have the same handle, and no number in
 * common. */
static void behind_the_legacy_stream_of_another_device(void)
{
	CUevent event = event_new();
	CUstream other;

	mix();
	used(asked(NULL), NULL);
	for (int i = 0; i < 1000; i++)
		MUST(cuEventRecord(event, NULL));
	device_entered(1);
	other = apart();
	MUST(cuMemFreeAsync(over(asked_and_used(NULL)), NULL));
	MUST(cuStreamWaitEvent(other, event, 0));
	used_there(other);
}

/* A mark of the legacy stream orders nothing in streams of another device,
 * whose epochs are younger. */
static void behind_a_mark_on_another_device(void)
{
	CUcontext there = device_entered(1);
	CUstream first = made(CU_STREAM_DEFAULT), second = apart(), here;
	CUevent event;

	used(asked(second), second);
	MUST(cuMemFreeAsync(over(asked_and_used(first)), first));
	MUST(cuCtxSetCurrent(context));
	here = made(CU_STREAM_DEFAULT);
	event = event_new();
	mix();
	used(asked(here), here);
	used(asked(NULL), NULL);
	for (int i = 0; i < 1000; i++)
		MUST(cuEventRecord(event, here));
	MUST(cuMemFreeAsync(over(asked(NULL)), NULL));
	MUST(cuLaunchHostFunc(here, nothing, NULL));
	used(asked(here), here);
	MUST(cuEventRecord(event, here));
	MUST(cuCtxSetCurrent(there));
	MUST(cuStreamWaitEvent(second, event, 0));
	used_there(second);
}

/* Memory that mnm serves is one context's; CUDA's is that of all on the
 * device. Each request is of the stream that was served last. */
static void beside_another_context_of_the_device(void)
{
	CUstream stream = apart();
	CUcontext other;

	for (int i = 0; i < 4; i++)
		MUST(cuMemFreeAsync(over(asked(stream)), stream));
	for (int i = 0; i < 3; i++) {
		MUST(cuMemFreeAsync(over(asked(stream)), stream));
		if (i == 0)
			MUST(cuCtxCreate_v2(&other, 0, 0));
		if (i == 1)
			MUST(cuCtxDestroy_v2(other));
		MUST(cuCtxSetCurrent(context));
	}
	MUST(cuCtxSynchronize());
	puts("asked");
}

const struct ordered_case ordered_devices[] = {
	CASE(behind_an_event_that_was_not_recorded),
	CASE(behind_an_event_of_a_stream_that_is_gone),
	CASE(behind_a_stream_of_another_device),
	CASE(after_a_wait_for_a_stream_of_another_device),
	CASE(behind_what_another_device_waits_for),
	CASE(behind_the_legacy_stream_of_another_device),
	CASE(behind_a_mark_on_another_device),
	CASE(beside_another_context_of_the_device),
	{0},
};
