/* Shared by prices.c and prices_pages.c. */
#ifndef TESTS_GPU_PRICES_H
#define TESTS_GPU_PRICES_H

#include <cuda.h>

/* PLACE_BYTES: of the addresses that are reserved to map pages there. */
enum { KIB = 1024, PAGE = 2 << 20, MANY = 32, PLACE_BYTES = 1 << 30 };

/* What the timed calls use. */
struct world {
	CUcontext ctx;
	CUstream stream;
	CUevent event;
	CUfunction nothing;
	CUdeviceptr block; /* allocated by the call before, or 0 */
	CUdeviceptr keep;  /* for fills */
	size_t size;       /* bytes of block */
	CUdeviceptr place; /* reserved addresses, LARGEST bytes */
	CUmemGenericAllocationHandle pages; /* size bytes, of the call before */
	CUmemGenericAllocationHandle many[MANY];
};

struct price {
	const char *name;
	CUresult (*call)(struct world *world);
	/* Prepare the world and tidy it up. Neither is timed. */
	CUresult (*before)(struct world *world), (*after)(struct world *world);
};

/* The calls for addresses and mapped memory: of one handle of world->size
 * bytes, and of MANY handles of a page each, where the size is that of all. */
enum { PAGE_PRICES = 7, MANY_PRICES = 2 };
extern const struct price page_prices[PAGE_PRICES];
extern const struct price many_prices[MANY_PRICES];

#endif
