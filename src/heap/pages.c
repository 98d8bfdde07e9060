#include "pages.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <cuda.h>

#include "common/log.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "order/wait.h"
#include <mnm/place.h>

/* NOLINTNEXTLINE(misc-redundant-expression): they are defined apart */
_Static_assert(PAGE_BYTES == MNM_REGION_PAGE, "pools count in pages as well");

static struct pages *_Atomic lost; /* linked by next */

static uint32_t slot_of(const struct pages *pages, uint64_t addr)
{
	return (uint32_t)((addr - pages->base) / PAGE_BYTES);
}

static uint64_t addr_of(const struct pages *pages, uint32_t slot)
{
	return pages->base + slot * PAGE_BYTES;
}

struct pages *pages_open(int ordinal, size_t bytes)
{
	struct pages *pages = calloc(1, sizeof(*pages));
	int res = CUDA_ERROR_NOT_SUPPORTED;
	size_t table;

	if (pages && backing_has_pages(ordinal)) {
		res = backing_addresses(bytes, &pages->base);
		if (res)
			log_info("addresses are refused with error %d: "
				 "cuMemAlloc serves",
				 res);
	}
	if (res) {
		free(pages);
		return NULL;
	}
	pages->ordinal = ordinal;
	pages->count = (uint32_t)(bytes / PAGE_BYTES);
	table = pages->count * sizeof(*pages->slots);
	pages->slots = mmap(NULL, table, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages->slots != MAP_FAILED)
		return pages;
	backing_addresses_free(pages->base, bytes);
	free(pages);
	return NULL;
}

/* Its handle has been released: it ends with its last mapping. */
#define PAGE_RELEASED UINT64_MAX

/* Releases the handle of a slot's page, which stays mapped. */
static int page_release(struct slot *at)
{
	int res = at->page == PAGE_RELEASED ? CUDA_SUCCESS
					    : backing_page_release(at->page);

	if (!backing_is_refused(res))
		at->page = PAGE_RELEASED;
	return res;
}

/* Ends the mappings of a page at its former slots, the latest one first. */
static int former_unmap(struct pages *pages, struct slot *at)
{
	struct slot *older;
	int res = CUDA_SUCCESS, last;

	while (at->older) {
		older = &pages->slots[at->older - 1];
		last = backing_pages_unmap(addr_of(pages, at->older - 1),
					   PAGE_BYTES);
		if (backing_is_refused(last))
			return last;
		res = last ? last : res;
		at->older = older->older;
		older->older = 0;
		pages->former--;
	}
	return res;
}

/* Ends a page, and all of its mappings. If the driver refuses that for now,
 * what has been done is noted, and the rest may be tried again. */
static int page_end(struct pages *pages, uint32_t slot)
{
	struct slot *at = &pages->slots[slot];
	int res = page_release(at), last;

	if (!backing_is_refused(res)) {
		last = former_unmap(pages, at);
		res = last ? last : res;
	}
	if (backing_is_refused(res))
		return res;
	last = backing_pages_unmap(addr_of(pages, slot), PAGE_BYTES);
	if (!backing_is_refused(last))
		at->page = 0;
	return last ? last : res;
}

/* Slots without pages are those that an earlier try has got to. */
int pages_give(struct pages *pages, const struct stretch *stretch)
{
	uint32_t slot = slot_of(pages, stretch->addr);
	uint32_t end = slot + (uint32_t)(stretch->bytes / PAGE_BYTES);
	int res = CUDA_SUCCESS, last;

	for (; slot < end && !backing_is_refused(res); slot++) {
		if (!pages->slots[slot].page)
			continue;
		last = page_end(pages, slot);
		res = last ? last : res;
	}
	return res;
}

void pages_close(struct pages *pages)
{
	const struct stretch all = {.addr = pages->base,
				    .bytes = pages->claimed * PAGE_BYTES};
	int res = pages_give(pages, &all);

	if (!backing_is_refused(res))
		res = backing_addresses_free(pages->base,
					     pages->count * PAGE_BYTES);
	if (backing_is_refused(res)) {
		pages_lose(pages);
		return;
	}
	munmap(pages->slots, pages->count * sizeof(*pages->slots));
	free(pages);
}

void pages_lose(struct pages *pages)
{
	pages->next = atomic_load(&lost);
	while (!atomic_compare_exchange_weak(&lost, &pages->next, pages))
		;
}

/* Other contexts of the device may still use what was freed in one that has
 * ended. */
static bool work_is_over(const struct pages *pages)
{
	struct device *device = device_at(pages->ordinal);
	struct context_walk walk = {0};

	return !context_next_using(&walk, device) || device_wait(device);
}

void pages_reap(void)
{
	struct pages *list = atomic_exchange(&lost, NULL), *pages;

	while ((pages = list)) {
		list = pages->next;
		if (work_is_over(pages))
			pages_close(pages);
		else
			pages_lose(pages);
	}
}

/* Maps one page at a slot. */
static int slot_map(struct pages *pages, uint32_t slot, uint64_t page)
{
	int res = backing_page_map(addr_of(pages, slot), page);

	if (!res)
		pages->slots[slot].page = page;
	return res;
}

/* No block is where the page is, or is to be. */
static void slot_leave(struct pages *pages, uint32_t slot, uint64_t page)
{
	pages->slots[slot].left = true;
	pages->slots[slot].page = page;
}

/* Makes a fresh page for a slot. It is mapped nowhere yet. */
static int slot_make(struct pages *pages, uint32_t slot)
{
	uint64_t page;
	int res = backing_page(pages->ordinal, &page);

	if (!res)
		slot_leave(pages, slot, page);
	return res;
}

/* Maps the page that was made for a slot. */
static int slot_map_made(struct pages *pages, uint32_t slot)
{
	int res = slot_map(pages, slot, pages->slots[slot].page);

	if (!res)
		pages->slots[slot].left = false;
	return res;
}

/* Pages that are mapped nowhere go back. Those whose release the driver refuses
 * stay until the region ends. */
static void slots_unmake(struct pages *pages, uint32_t first, uint32_t end)
{
	struct slot *slot;

	for (; first < end; first++) {
		slot = &pages->slots[first];
		if (backing_is_refused(backing_page_release(slot->page)))
			continue;
		slot->page = 0;
		slot->left = false;
	}
}

/* Maps the pages of a stretch at slots from *slot on, which becomes the one
 * after the last. They are at both places then. */
static int stretch_map(struct pages *pages, const struct stretch *stretch,
		       uint32_t *slot)
{
	uint32_t from = slot_of(pages, stretch->addr);
	uint32_t end = from + (uint32_t)(stretch->bytes / PAGE_BYTES);
	int res = CUDA_SUCCESS;

	for (; from < end && !res; from++) {
		res = slot_map(pages, *slot, pages->slots[from].page);
		if (res)
			break;
		pages->slots[*slot].older = from + 1;
		pages->slots[*slot].epoch = stretch->epoch;
		pages->former++;
		++*slot;
	}
	return res;
}

/* Undoes what has been mapped in [first, end): a page that came from another
 * slot is there only, a fresh one goes back. What the driver refuses to undo
 * stays there until the region ends. */
static void slots_unmap(struct pages *pages, uint32_t first, uint32_t end)
{
	struct slot *slot;

	for (; first < end; first++) {
		slot = &pages->slots[first];
		if (slot->older) { /* the other slot has the handle */
			slot->page = PAGE_RELEASED;
			pages->former--;
		}
		slot->older = 0;
		if (backing_is_refused(page_end(pages, first)))
			slot_leave(pages, first, slot->page);
	}
}

/* What has moved is at its new slots only, as far as pools know. */
static void slots_settle(struct pages *pages, uint32_t first, uint32_t end)
{
	for (; first < end; first++)
		if (pages->slots[first].older)
			pages->slots[pages->slots[first].older - 1].page = 0;
}

static uint32_t slots_of(const struct stretch *stretches, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += stretches[i].bytes;
	return (uint32_t)(bytes / PAGE_BYTES);
}

/* All that is made is made first: if there is too little memory, nothing has to
 * be unmapped. */
int pages_map(struct pages *pages, const struct stretch *to,
	      const struct stretch *moved, size_t count, uint64_t devices)
{
	uint32_t first = slot_of(pages, to->addr), slot = first;
	uint32_t end = first + (uint32_t)(to->bytes / PAGE_BYTES);
	uint32_t fresh = first + slots_of(moved, count), made = fresh;
	int res = CUDA_SUCCESS;

	while (made < end && !res) {
		res = slot_make(pages, made);
		made += !res;
	}
	for (size_t i = 0; i < count && !res; i++)
		res = stretch_map(pages, &moved[i], &slot);
	while (slot < end && !res) {
		res = slot_map_made(pages, slot);
		slot += !res;
	}
	if (!res)
		res = backing_pages_allow(to->addr, to->bytes, devices);
	if (!res) {
		slots_settle(pages, first, slot);
		return CUDA_SUCCESS;
	}
	slots_unmap(pages, first, slot);
	slots_unmake(pages, slot > fresh ? slot : fresh, made);
	return res;
}

void pages_settle(struct pages *pages, const struct stretch *stretch,
		  uint64_t over)
{
	uint32_t slot = slot_of(pages, stretch->addr);
	uint32_t end = slot + (uint32_t)(stretch->bytes / PAGE_BYTES);

	for (; slot < end; slot++)
		if (pages->slots[slot].epoch < over)
			(void)former_unmap(pages, &pages->slots[slot]);
}

bool pages_are_none(const struct pages *pages, const struct stretch *stretch)
{
	uint32_t slot = slot_of(pages, stretch->addr);
	uint32_t end = slot + (uint32_t)(stretch->bytes / PAGE_BYTES);

	while (slot < end && !pages->slots[slot].page)
		slot++;
	return slot == end;
}

/* Whether a block may be there. A page that goes back says so before it is
 * unmapped. */
static bool slot_serves(const struct slot *slot)
{
	uint64_t page = slot->page;

	return page && page != PAGE_RELEASED && !slot->left;
}

bool pages_serve_at(const struct pages *pages, uint64_t addr)
{
	return slot_serves(&pages->slots[slot_of(pages, addr)]);
}

static bool slots_serve(const struct pages *pages, uint32_t slot, uint32_t end)
{
	while (slot < end && slot_serves(&pages->slots[slot]))
		slot++;
	return slot == end;
}

/* A page of these may have gone meanwhile: then each is tried by itself. The
 * driver (580.159.04, on an H200) does not say so: it sets the access up to the
 * hole, and succeeds. */
static int slots_allow(const struct pages *pages, uint32_t slot, uint32_t end,
		       uint64_t devices)
{
	int res = backing_pages_allow(addr_of(pages, slot),
				      (end - slot) * PAGE_BYTES, devices);

	if (!res && slots_serve(pages, slot, end))
		return res;
	for (res = 0; slot < end && !res; slot++) {
		res = backing_pages_allow(addr_of(pages, slot), PAGE_BYTES,
					  devices);
		if (!slot_serves(&pages->slots[slot]))
			res = 0;
	}
	return res;
}

int pages_allow(const struct pages *pages, uint64_t devices)
{
	uint32_t slot = 0, end, count = pages->claimed;
	int res = CUDA_SUCCESS;

	for (; slot < count && !res; slot = end) {
		end = slot + 1;
		if (!slot_serves(&pages->slots[slot]))
			continue;
		while (end < count && slot_serves(&pages->slots[end]))
			end++;
		res = slots_allow(pages, slot, end, devices);
	}
	return res;
}
