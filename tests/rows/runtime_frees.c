/* Frees, right and wrong. */
#include <stdio.h>

#include "runtime_calls.h"

static const char *const kinds[] = {"nothing", "device", "stream", "managed",
				    "pinned"};

struct holding *holding_drawn(void)
{
	struct holding *holding = &holdings[draw(HOLDINGS)];

	printf(" %s %zu of %d", kinds[holding->kind],
	       holding->kind ? holding->size : 0,
	       holding->kind ? holding->device : 0);
	return holding;
}

static cudaError_t free_of(int kind, void *ptr)
{
	return kind == PINNED ? cudaFreeHost(ptr) : cudaFree(ptr);
}

cudaError_t holding_free(struct holding *holding)
{
	cudaError_t res = cudaSuccess;

	if (holding->kind != NOTHING)
		res = free_of(holding->kind, holding->ptr);
	if (!res)
		holding->kind = NOTHING;
	return res;
}

cudaError_t call_free(void)
{
	return holding_free(holding_drawn());
}

cudaError_t call_free_twice(void)
{
	struct holding *holding = holding_drawn();
	int kind = holding->kind;
	cudaError_t res = holding_free(holding);

	if (kind == NOTHING || res)
		return res;
	printf(", once: last %d", (int)cudaPeekAtLastError());
	return free_of(kind, holding->ptr);
}

/* Frees an address that is nobody's or in the middle of a block, or uses the
 * wrong call. */
cudaError_t call_free_wrong(void)
{
	struct holding *holding = holding_drawn();
	unsigned int way = draw(6);

	printf(" way %u", way);
	switch (way) {
	case 0:
		return cudaFree(NULL);
	case 1:
		return cudaFreeHost(NULL);
	case 2:
		return cudaFree(&holding);
	case 3:
		return cudaFree((void *)0x1234500);
	case 4:
		if (holding->kind == NOTHING || holding->size < 2)
			return cudaSuccess;
		return free_of(holding->kind, holding->ptr + holding->size / 2);
	default:
		if (holding->kind == NOTHING)
			return cudaSuccess;
		return holding->kind == PINNED ? cudaFree(holding->ptr)
					       : cudaFreeHost(holding->ptr);
	}
}

/* Frees on the memory's own device. A stream of another device would free it
 * later than a reset does. */
cudaError_t call_free_async(void)
{
	struct holding *holding = holding_drawn();
	unsigned int wrong = draw(8);
	int device = -1;
	cudaError_t res;

	printf(" wrong %u", wrong);
	if (wrong < 2)
		return cudaFreeAsync(wrong ? &holding : NULL, NULL);
	cudaGetDevice(&device);
	if (holding->kind == NOTHING || holding->device != device)
		return cudaSuccess;
	res = cudaFreeAsync(holding->ptr, NULL);
	if (!res)
		holding->kind = NOTHING;
	return res;
}

cudaError_t call_free_host(void)
{
	struct holding *holding = holding_drawn();

	return holding->kind == PINNED ? holding_free(holding)
				       : cudaFreeHost(&holding);
}

/* Afterwards the program frees what the reset device had, which is wrong. */
cudaError_t call_reset(void)
{
	cudaError_t res;
	int device = -1;

	if (draw(8))
		return cudaSuccess;
	cudaGetDevice(&device);
	res = cudaDeviceReset();
	printf(" device %d: %d, last %d", device, (int)res,
	       (int)cudaPeekAtLastError());
	for (struct holding *at = holdings; at < holdings + HOLDINGS; at++) {
		if (at->kind == NOTHING || at->device != device)
			continue;
		printf(", %s %d", kinds[at->kind],
		       (int)free_of(at->kind, at->ptr));
		at->kind = NOTHING;
	}
	return res;
}
