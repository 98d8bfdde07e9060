/* What is not known of others, and the legacy stream. Each request and free
 * there is marked from then on. */
#include <dlfcn.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"
#include "preload/elf_symbol.h"

static void asked_again_in_the_legacy_stream(CUdeviceptr block)
{
	MUST(cuMemFreeAsync(over(block), NULL));
	compare(asked(NULL), block);
	cuStreamQuery(NULL);
}

/* A driver that is newer than the headers has this entry. */
static void in_the_legacy_stream_beside_an_entry_that_no_header_has(void)
{
	CUdeviceptr block;

	mix();
	block = asked_and_used(NULL);
	(void)dlsym(RTLD_DEFAULT, "cuFutureWork");
	asked_again_in_the_legacy_stream(block);
}

/* The current context has changed, and nobody knows how. */
static void in_the_legacy_stream_after_a_change_of_context(void)
{
	__typeof__(&cuCtxSetCurrent) unseen;
	CUdeviceptr block, other;
	CUcontext second;

	second = device_entered(1);
	MUST(cuCtxSetCurrent(context));
	mix();
	block = asked_and_used(NULL);
	*(void **)&unseen = elf_symbol("libcuda.so", "cuCtxSetCurrent");
	MUST(unseen(second));
	MUST(cuMemAlloc(&other, SHORT));
	MUST(unseen(context));
	asked_again_in_the_legacy_stream(block);
}

const struct ordered_case ordered_unseen[] = {
	CASE(in_the_legacy_stream_beside_an_entry_that_no_header_has),
	CASE(in_the_legacy_stream_after_a_change_of_context),
	{0},
};
