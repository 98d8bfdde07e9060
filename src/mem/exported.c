/* Memory that is passed to other processes: nothing of ours orders what they do
 * with it, so its bytes are never used again here. */
#include "block/block.h"
#include "common/log.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"
#include "config.h"
#include "context/context.h"
#include "heap/planned.h"
#include "heap/region.h"
#include "heap/swap.h"
#include "heap/whole.h"
#include "mem.h"
#include "order/fence.h"
#include "pools/pool.h"
#include "preload/elf_symbol.h"

/* From now on blocks of such sizes are allocations of their own, which go back
 * to the driver once they are freed. */
static void whole_from_now(const struct pool *pool, size_t size)
{
	if (!pool_places(pool) || device_is_host(pool->heap->device))
		return;
	if (!size_make_whole(size))
		return;
	planned_end_all();
	log_info("a block of %zu bytes is passed on: such sizes are "
		 "allocations of their own from now on",
		 size);
}

void mem_exported(uint64_t addr)
{
	uint64_t word;
	struct block *block = block_find(addr, &word);
	const struct pool *pool;

	if (!block || !block_mark(block, addr, BLOCK_EXPORTED))
		return;
	pool = block_pool(block);
	if (!pool)
		return;
	whole_from_now(pool, block_size(block));
	if (pool_ops_keep(pool->view.ops)) /* else it has no former owner */
		fence_drain(pool->heap->context);
}

static bool block_reaches(uint64_t start, uint64_t addr)
{
	uint64_t word;
	const struct block *block = block_find(start, &word);

	return block && start + block->span > addr;
}

/* A program can only mean one of the blocks, but may have to name whole pages
 * of the system, in which there are others. */
void mem_exported_range(uint64_t addr, size_t size)
{
	uint64_t start, end = addr + size;
	enum mnm_backing backing;

	while (end > addr && region_block_at(end - 1, &start, &backing) &&
	       start && block_reaches(start, addr)) {
		mem_exported(start);
		end = start;
	}
}

/* What CUDA has no IPC handle for, by what regions are made of; or NULL. */
static const char *handless(int choice)
{
	static const char *const names[] = {
		[MNM_BACKING_VIRTUAL] = "virtual memory",
		[MNM_BACKING_MANAGED] = "managed memory",
	};
	enum mnm_backing backing = pool_choice_backing(choice);

	return backing <= MNM_BACKING_MANAGED ? names[backing] : NULL;
}

static void handless_leaves(struct device *device, int choice)
{
	struct swap_report report;

	if (!handless(device->choice) ||
	    !device_swap(device, choice, config_current(), &report))
		return;
	if (!device->used) /* a program has fewer devices than there may be */
		return;
	log_warn("this program passes memory to other processes: device %d is "
		 "served by %s from now on, as %s has %s, for which CUDA has "
		 "no IPC handle",
		 device_ordinal(device), POOL_DEFAULT,
		 pool_choice_name(report.before), handless(report.before));
}

/* Libraries such as NCCL's have it in many programs that never call it. */
static bool program_exports(void)
{
	return elf_program_names("cudaIpcGetMemHandle") ||
	       elf_program_names("cuIpcGetMemHandle");
}

void mem_exports_expect(void)
{
	const char *what = NULL;

	for (int i = 0; i < DEVICE_MAX && !what; i++)
		what = handless(device_at(i)->choice);
	if (!what || !program_exports())
		return;
	log_warn("this program has cudaIpcGetMemHandle: devices are served by "
		 "%s, as there is no IPC handle for %s",
		 POOL_DEFAULT, what);
	for (int i = 0; i < DEVICE_MAX; i++)
		if (handless(device_at(i)->choice))
			device_at(i)->choice = pool_row_find(POOL_DEFAULT);
}

void mem_exports(void)
{
	int choice = pool_row_find(POOL_DEFAULT);

	if (!config_once())
		return;
	for (int i = 0; i < DEVICE_MAX; i++)
		handless_leaves(device_at(i), choice);
}
