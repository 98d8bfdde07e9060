#include <unistd.h>

#include "beside.h"

/* Destroys of a context whose freed blocks no work uses any more: the work was
 * waited for, or ordered by a fence, before other work came. */

static void destroy_idle(void)
{
	open_first();
	second = context_new(one);
	MUST(cuCtxSetCurrent(first));
	MUST(cuMemFree(alloc(4096)));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
}

/* A fence came after the context's frees, and the work that is queued now came
 * after the fence. */
static void destroy_after_a_fence(void)
{
	open_first();
	second = context_new(one);
	spare = alloc(8192);
	MUST(cuMemFree(spare));
	MUST(cuMemFree(alloc(4096)));
	block = alloc(4096);
	MUST(cuCtxSetCurrent(first));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
}

/* The only work came after the context's frees. */
static void destroy_freed_before_any_work(void)
{
	open_unused();
	second = context_new(one);
	MUST(cuMemFree(alloc(4096)));
	MUST(cuCtxSetCurrent(first));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
}

/* The other context has been waited for since the free. */
static void destroy_freed_before_a_wait(void)
{
	free_under_work(false);
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
}

/* The same for pinned memory. `first` is current, and has been waited for since
 * the free. */
static void free_pinned_and_wait(void)
{
	open_first();
	second = context_new(one);
	MUST(cuLaunchHostFunc(stream_new(), nothing, NULL));
	MUST(cuMemHostAlloc(&pinned, 4096, 0));
	MUST(cuMemFreeHost(pinned));
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
}

static void destroy_pinned_freed_before_a_wait(void)
{
	free_pinned_and_wait();
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
}

static void destroy_pinned_freed_before_a_context(void)
{
	CUcontext third;

	free_pinned_and_wait();
	third = context_new(one);
	stream = stream_new();
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
	MUST(cuCtxDestroy(third));
}

static CUcontext third;

/* In addition a fence has come, which is behind that work. */
static void destroy_freed_before_a_wait_and_a_fence(void)
{
	free_under_work(false);
	third = context_new(one);
	MUST(cuMemFree(alloc(4096)));
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxSetCurrent(third));
	block = alloc(4096);
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	MUST(cuCtxSetCurrent(first));
	go_on();
	MUST(cuCtxDestroy(third));
}

static atomic_bool third_goes;

static void held_third(void *unused)
{
	(void)unused;
	while (!third_goes)
		usleep(100);
}

static void wait_for_third(void)
{
	MUST(cuCtxSetCurrent(third));
	MUST(cuCtxSynchronize());
}

/* The other context has been waited for while another thread waited for a third
 * context. */
static void destroy_freed_before_two_waits(void)
{
	struct caller waiting = {0};

	free_under_work(false);
	third = context_new(one);
	MUST(cuLaunchHostFunc(stream_new(), held_third, NULL));
	caller_start(&waiting, wait_for_third);
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
	third_goes = true;
	caller_end(&waiting);
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
	MUST(cuCtxDestroy(third));
}

static void wait_for_first(void)
{
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
}

/* Meanwhile another thread waits for its context. */
static void reuse_beside_a_wait(void)
{
	struct caller waiting = {0};

	free_under_work(true);
	caller_start(&waiting, wait_for_first);
	block = alloc(4096);
	puts("allocated");
	go = true;
	caller_end(&waiting);
}

/* In addition there is a third context by then. */
static void destroy_freed_before_a_context(void)
{
	free_under_work(false);
	MUST(cuCtxSetCurrent(first));
	MUST(cuCtxSynchronize());
	third = context_new(one);
	stream = stream_new();
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuCtxDestroy(second));
	puts("destroyed");
	go_on();
	MUST(cuCtxDestroy(third));
}

const struct beside beside_frees[] = {
#define CASE(name) \
	{ \
#name, name \
	}
	CASE(destroy_idle),
	CASE(destroy_after_a_fence),
	CASE(destroy_freed_before_any_work),
	CASE(destroy_freed_before_a_wait),
	CASE(destroy_pinned_freed_before_a_wait),
	CASE(destroy_pinned_freed_before_a_context),
	CASE(destroy_freed_before_a_wait_and_a_fence),
	CASE(destroy_freed_before_two_waits),
	CASE(reuse_beside_a_wait),
	CASE(destroy_freed_before_a_context),
	{NULL, NULL},
};
