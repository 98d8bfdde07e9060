#include "window.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"
#include "mempool.h"

enum { HOST_PAGE = 4096 };

static struct block **blocks; /* by address */
static size_t count, room;

/* The index of the first block that ends after addr. */
static size_t place_of(CUdeviceptr addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (blocks[mid]->addr + blocks[mid]->size > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

struct block *outside_find(CUdeviceptr addr)
{
	size_t at = place_of(addr);

	return at < count && blocks[at]->addr <= addr ? blocks[at] : NULL;
}

struct block *outside_after(CUdeviceptr addr)
{
	size_t at = place_of(addr);

	return at < count ? blocks[at] : NULL;
}

bool outside_add(struct block *block)
{
	size_t at = place_of(block->addr);

	if (count == room) {
		size_t wanted = room ? 2 * room : 16;
		struct block **more = realloc(blocks, wanted * sizeof(*more));

		if (!more)
			return false;
		blocks = more;
		room = wanted;
	}
	memmove(&blocks[at + 1], &blocks[at], (count - at) * sizeof(*blocks));
	blocks[at] = block;
	count++;
	return true;
}

void outside_remove(struct block *block)
{
	size_t at = place_of(block->addr);

	count--;
	memmove(&blocks[at], &blocks[at + 1], (count - at) * sizeof(*blocks));
}

static bool window_map(struct window *window, int fd, off_t offset, size_t size)
{
	size_t before = offset % HOST_PAGE;
	char *pages = mmap(NULL, size + before, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_NORESERVE, fd, offset - before);

	if (pages == MAP_FAILED)
		return false;
	window->pages = pages;
	window->length = size + before;
	window->block.addr = (CUdeviceptr)(pages + before);
	window->block.size = window->block.span = size;
	return true;
}

static CUresult window_make(int fd, off_t offset, size_t size,
			    struct window **out)
{
	struct window *window = calloc(1, sizeof(*window));

	if (!window)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!window_map(window, fd, offset, size)) {
		free(window);
		return CUDA_ERROR_MAP_FAILED;
	}
	if (!outside_add(&window->block)) {
		munmap(window->pages, window->length);
		free(window);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	window->opens = 1;
	*out = window;
	return CUDA_SUCCESS;
}

CUresult window_open(struct context *ctx, struct device *dev, int fd,
		     off_t offset, size_t size, enum block_kind kind,
		     struct window **out)
{
	CUresult res = window_make(fd, offset, size, out);

	if (!res)
		memory_enter(ctx, dev, &(*out)->block, kind);
	return res;
}

CUresult window_import(struct mempool *pool, off_t offset, size_t size,
		       struct window **out)
{
	CUresult res = window_make(pool->file, offset, size, out);

	if (res)
		return res;
	(*out)->block.pool = pool;
	memory_enter(NULL, pool->dev, &(*out)->block, BLOCK_IMPORTED);
	mempool_adopt(&(*out)->block);
	return CUDA_SUCCESS;
}

CUresult window_lend(struct context *ctx, struct device *dev, void *addr,
		     size_t size, struct window **out)
{
	struct window *window = calloc(1, sizeof(*window));

	if (!window)
		return CUDA_ERROR_OUT_OF_MEMORY;
	window->block.addr = (CUdeviceptr)addr;
	window->block.size = window->block.span = size;
	if (!outside_add(&window->block)) {
		free(window);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	memory_enter(ctx, dev, &window->block, BLOCK_LENT);
	*out = window;
	return CUDA_SUCCESS;
}

void window_close(struct block *block)
{
	struct window *window = (struct window *)block;

	outside_remove(block);
	if (window->pages)
		munmap(window->pages, window->length);
	free(window);
}
