#include "arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bins.h"
#include "slab.h"

/* How many times the capacity is reserved in addresses: holes between live
 * blocks must not make an allocation fail that the granules could serve. */
enum { SPACE_FACTOR = 4 };

/* And as many granules of addresses more: a small device may have many blocks
 * of managed memory, which take whole ones. */
enum { SPACE_MORE = 512 };

static void *pages_reserve(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* Device memory belongs to a file, so that another process or address can have
 * it too. Returns -1 where file sizes are limited to less: going beyond the
 * limit would send SIGXFSZ to the program. */
static int file_open(size_t bytes)
{
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < bytes)
		return -1;
	fd = memfd_create("mnm-sim", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

static CUresult space_reserve(struct arena *arena)
{
	size_t bytes = arena->slots * GRANULE;
	char *pages = pages_reserve(bytes + GRANULE);

	if (!pages)
		return CUDA_ERROR_OUT_OF_MEMORY;
	arena->base = (char *)(((uintptr_t)pages + GRANULE - 1) &
			       ~(uintptr_t)(GRANULE - 1));
	arena->fd = file_open(bytes);
	if (arena->fd >= 0 && mmap(arena->base, bytes, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
				   arena->fd, 0) == MAP_FAILED) {
		close(arena->fd);
		munmap(pages, bytes + GRANULE);
		arena->base = NULL;
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	/* With huge pages, one written byte would cost the host 2 MiB. */
	madvise(arena->base, bytes, MADV_NOHUGEPAGE);
	madvise(arena->base, bytes, MADV_DONTDUMP);
	return CUDA_SUCCESS;
}

/* Reserves addresses and tables for that many granules. */
static CUresult slots_open(struct arena *arena, uint32_t slots)
{
	size_t granules = slots * sizeof(struct granule);
	size_t runs = runs_bytes(slots), slabs = peaks_bytes(slots);
	char *tables = pages_reserve(granules + runs + slabs);

	if (!tables)
		return CUDA_ERROR_OUT_OF_MEMORY;
	arena->slots = slots;
	if (space_reserve(arena)) {
		munmap(tables, granules + runs + slabs);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	arena->granules = (struct granule *)tables;
	runs_init(&arena->runs, slots, tables + granules);
	peaks_init(&arena->slabs, slots, tables + granules + runs);
	return CUDA_SUCCESS;
}

CUresult arena_open(struct arena *arena)
{
	CUresult res = CUDA_ERROR_OUT_OF_MEMORY;

	if (arena->base)
		return CUDA_SUCCESS;
	if (arena->ideal && !arena->bins)
		arena->bins = calloc(1, sizeof(*arena->bins));
	if (arena->ideal && !arena->bins)
		return CUDA_ERROR_OUT_OF_MEMORY;
	arena->granules_total = arena->capacity / GRANULE;
	/* Some hosts have few addresses, for example under valgrind. */
	for (int factor = SPACE_FACTOR; res && factor; factor /= 2)
		res = slots_open(arena,
				 factor * arena->granules_total + SPACE_MORE);
	return res;
}

/* Returns RUNS_NONE if there are not enough granules, or no addresses. */
static uint32_t granules_take(struct arena *arena, size_t count)
{
	uint32_t first;

	if (count > arena->granules_total - arena->granules_used)
		return RUNS_NONE;
	first = runs_take(&arena->runs, count);
	if (first == RUNS_NONE)
		return RUNS_NONE;
	arena->granules_used += count;
	return first;
}

static void granules_give(struct arena *arena, uint32_t first, size_t count,
			  bool used)
{
	runs_give(&arena->runs, first, count);
	arena->granules_used -= count;
	if (used)
		madvise(arena->base + first * GRANULE, count * GRANULE,
			arena->fd < 0 ? MADV_DONTNEED : MADV_REMOVE);
}

static void granules_name(struct arena *arena, struct block *block,
			  uint32_t first, size_t count)
{
	block->span = count * GRANULE;
	block->addr = (CUdeviceptr)(arena->base + first * GRANULE);
	for (uint32_t i = 0; i < count; i++)
		arena->granules[first + i].block = block;
}

static CUresult alloc_large(struct arena *arena, struct block *block)
{
	size_t count = (block->size + GRANULE - 1) / GRANULE;
	uint32_t first = granules_take(arena, count);

	if (first == RUNS_NONE)
		return CUDA_ERROR_OUT_OF_MEMORY;
	granules_name(arena, block, first, count);
	return CUDA_SUCCESS;
}

static struct slab *slab_add(struct arena *arena)
{
	uint32_t first = granules_take(arena, 1);
	struct slab *slab;

	if (first == RUNS_NONE)
		return NULL;
	slab = slab_open(arena, first);
	if (!slab) {
		granules_give(arena, first, 1, false);
		return NULL;
	}
	arena->granules[first].slab = slab;
	return slab;
}

static CUresult alloc_small(struct arena *arena, struct block *block)
{
	uint32_t units = (block->size + UNIT - 1) / UNIT;
	uint32_t at = peaks_first(&arena->slabs, units);
	struct slab *slab =
		at == PEAKS_NONE ? slab_add(arena) : arena->granules[at].slab;
	uint32_t unit;

	if (!slab)
		return CUDA_ERROR_OUT_OF_MEMORY;
	unit = runs_take(&slab->runs, units);
	slab->at[unit] = block;
	slab->blocks++;
	peaks_set(&arena->slabs, slab->granule, runs_longest(&slab->runs));
	block->span = units * UNIT;
	block->addr = (CUdeviceptr)(arena->base + slab->granule * GRANULE +
				    unit * UNIT);
	return CUDA_SUCCESS;
}

static struct block *block_take(struct arena *arena, size_t size)
{
	struct block *block = arena->spare_blocks;

	if (block) {
		arena->spare_blocks = block->next;
		memset(block, 0, sizeof(*block));
	} else {
		block = calloc(1, sizeof(*block));
	}
	if (block)
		block->size = size;
	return block;
}

static void block_give(struct arena *arena, struct block *block)
{
	block->next = arena->spare_blocks;
	arena->spare_blocks = block;
}

static struct block *block_fresh(struct arena *arena, size_t size)
{
	struct block *block = block_take(arena, size);
	CUresult res;

	if (!block)
		return NULL;
	res = size < SLAB_BELOW ? alloc_small(arena, block)
				: alloc_large(arena, block);
	if (!res)
		return block;
	block_give(arena, block);
	return NULL;
}

size_t arena_used(const struct arena *arena)
{
	return arena->ideal ? arena->spans : arena->granules_used * GRANULE;
}

/* The span is 0 for what takes nothing of the capacity. */
static void count_add(struct arena *arena, size_t size, size_t span)
{
	size_t used;

	arena->live++;
	arena->live_bytes += size;
	arena->spans += span;
	used = arena_used(arena);
	if (used > arena->peak)
		arena->peak = used;
}

static void count_remove(struct arena *arena, size_t size, size_t span)
{
	arena->live--;
	arena->live_bytes -= size;
	arena->spans -= span;
}

CUresult arena_alloc(struct arena *arena, size_t size, struct block **out)
{
	struct block *block = NULL;

	if (size > arena->capacity)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (arena->bins)
		block = bins_take(arena, size);
	if (!block)
		block = block_fresh(arena, size);
	if (!block && arena->bins && bins_flush(arena))
		block = block_fresh(arena, size);
	if (!block)
		return CUDA_ERROR_OUT_OF_MEMORY;
	count_add(arena, size, block->span);
	*out = block;
	return CUDA_SUCCESS;
}

CUresult arena_alloc_outside(struct arena *arena, size_t size,
			     struct block **out)
{
	size_t count = size / GRANULE + !!(size % GRANULE);
	struct block *block;
	uint32_t first;

	if (count > arena->slots)
		return CUDA_ERROR_OUT_OF_MEMORY;
	first = runs_take(&arena->runs, count);
	if (first == RUNS_NONE)
		return CUDA_ERROR_OUT_OF_MEMORY;
	block = block_take(arena, size);
	if (!block) {
		runs_give(&arena->runs, first, count);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	block->outside = true;
	granules_name(arena, block, first, count);
	count_add(arena, size, 0);
	*out = block;
	return CUDA_SUCCESS;
}

CUresult arena_take(struct arena *arena, size_t size, uint32_t *first)
{
	if (size > arena->capacity)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*first = granules_take(arena, size / GRANULE);
	if (*first == RUNS_NONE && arena->bins && bins_flush(arena))
		*first = granules_take(arena, size / GRANULE);
	if (*first == RUNS_NONE)
		return CUDA_ERROR_OUT_OF_MEMORY;
	count_add(arena, size, size);
	return CUDA_SUCCESS;
}

void arena_give(struct arena *arena, uint32_t first, size_t size, bool used)
{
	count_remove(arena, size, size);
	granules_give(arena, first, size / GRANULE, used);
}

static uint32_t granule_of(const struct arena *arena, CUdeviceptr addr)
{
	return (addr - (CUdeviceptr)arena->base) / GRANULE;
}

static void free_small(struct arena *arena, struct block *block, bool used)
{
	uint32_t at = granule_of(arena, block->addr);
	struct slab *slab = arena->granules[at].slab;
	uint32_t unit = (block->addr & (GRANULE - 1)) / UNIT;

	slab->at[unit] = NULL;
	slab->used |= used;
	runs_give(&slab->runs, unit, block->span / UNIT);
	if (--slab->blocks) {
		peaks_set(&arena->slabs, at, runs_longest(&slab->runs));
		return;
	}
	peaks_set(&arena->slabs, at, 0);
	arena->granules[at].slab = NULL;
	granules_give(arena, at, 1, slab->used);
	slab_close(arena, slab);
}

void arena_drop(struct arena *arena, struct block *block, bool used)
{
	if (block->span < GRANULE) {
		free_small(arena, block, used);
	} else {
		uint32_t first = granule_of(arena, block->addr);
		size_t count = block->span / GRANULE;

		for (uint32_t i = 0; i < count; i++)
			arena->granules[first + i].block = NULL;
		/* granules_give counts them as of the capacity. */
		arena->granules_used += block->outside ? count : 0;
		granules_give(arena, first, count, used);
	}
	block_give(arena, block);
}

void arena_free(struct arena *arena, struct block *block, bool used)
{
	count_remove(arena, block->size, block->outside ? 0 : block->span);
	if (arena->bins && !used && block->kind == BLOCK_PLAIN &&
	    bins_keep(arena, block))
		return;
	arena_drop(arena, block, used);
}

bool arena_covers(const struct arena *arena, CUdeviceptr addr)
{
	return arena->base && addr >= (CUdeviceptr)arena->base &&
	       addr - (CUdeviceptr)arena->base < arena->slots * GRANULE;
}

struct block *arena_holder(const struct arena *arena, CUdeviceptr addr)
{
	const struct granule *granule =
		&arena->granules[granule_of(arena, addr)];

	return granule->slab
		       ? slab_find(granule->slab, (addr & (GRANULE - 1)) / UNIT)
		       : granule->block;
}

struct block *arena_find(const struct arena *arena, CUdeviceptr addr)
{
	struct block *block = arena_holder(arena, addr);

	return block && addr - block->addr < block->size ? block : NULL;
}
