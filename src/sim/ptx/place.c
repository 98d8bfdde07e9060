/* Where the host has what the lanes of a warp touch, and whether they may. */
#include <string.h>

#include "place.h"

static bool range_has(const struct ptx_range *range, uint64_t addr, size_t size,
		      bool write)
{
	return addr >= range->begin && addr < range->end &&
	       size <= range->end - addr && (!write || range->write);
}

/* Variables of the module were given by the host. */
static bool own_range(const struct ptx_run *run, uint64_t addr, size_t size,
		      bool write, struct ptx_range *range)
{
	uint64_t params = (uintptr_t)run->params;
	uint64_t barrier = (uintptr_t)&run->grid_barrier[1];
	const struct ptx_range others[] = {
		{params, params + run->program->kernel->param_bytes, false},
		{barrier, barrier + sizeof(run->grid_barrier[1]), true},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (range_has(&others[i], addr, size, write)) {
			*range = others[i];
			return true;
		}
	for (uint32_t i = 0; i < run->variable_count; i++)
		if (range_has(&run->variables[i], addr, size, write)) {
			*range = run->variables[i];
			return true;
		}
	return false;
}

static bool may_touch(struct ptx_run *run, uint64_t addr, size_t size,
		      bool write)
{
	struct ptx_range found = {.write = write};

	if (!run->host->range)
		return true;
	for (unsigned int i = 0; i < PTX_RANGES; i++)
		if (range_has(&run->ranges[i], addr, size, write))
			return true;
	if (!own_range(run, addr, size, write, &found) &&
	    (!run->host->range(run->host->user, addr, write, &found.begin,
			       &found.end) ||
	     !range_has(&found, addr, size, write)))
		return false;
	run->ranges[run->range_next++ % PTX_RANGES] = found;
	return true;
}

static unsigned char *illegal(struct ptx_warp *warp, const struct ptx_op *op,
			      unsigned int lane, uint64_t addr, size_t size,
			      bool write)
{
	ptx_run_fail(warp, op, lane, PTX_ILLEGAL_ADDRESS,
		     "%s %zu bytes at 0x%llx is not allowed",
		     write ? "to write" : "to read", size,
		     (unsigned long long)addr);
	return NULL;
}

unsigned char *ptx_place(struct ptx_warp *warp, const struct ptx_op *op,
			 unsigned int lane, uint64_t addr, size_t size,
			 bool write)
{
	struct ptx_run *run = warp->run;
	enum ptx_window window = op->window;
	uint64_t at = addr;

	if (op->generic && addr >> PTX_WINDOW_BITS) {
		window = (enum ptx_window)(addr >> PTX_WINDOW_BITS);
		at = addr & ((UINT64_C(1) << PTX_WINDOW_BITS) - 1);
	}
	if (window == PTX_WINDOW_SHARED) {
		if (at > run->shared_bytes || size > run->shared_bytes - at)
			return illegal(warp, op, lane, addr, size, write);
		return warp->block->shared + at;
	}
	if (window == PTX_WINDOW_LOCAL) {
		size_t room = run->thread_bytes;

		if (at > room || size > room - at)
			return illegal(warp, op, lane, addr, size, write);
		return warp->local + lane * room + at;
	}
	if (window != PTX_WINDOW_GLOBAL || addr >> PTX_WINDOW_BITS ||
	    !may_touch(run, addr, size, write))
		return illegal(warp, op, lane, addr, size, write);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it is the host's memory */
	return (unsigned char *)(uintptr_t)addr;
}

static inline bool any_of(const void *row, size_t bytes)
{
	uint64_t found = 0, part;

	for (size_t i = 0; i < bytes; i += sizeof(part)) {
		memcpy(&part, (const char *)row + i, sizeof(part));
		found |= part;
	}
	return found;
}

/* Mostly the addresses of a row's lanes are the same number apart, which may be
 * 0, and in each row the same. */
/* clang-format off */
#define EVENLY(type) \
	PTX_WIDE static bool evenly_##type(const type *a, uint64_t *step) \
	{ \
		typedef type row \
			__attribute__((vector_size(PTX_ROW * sizeof(type)))); \
		const row counts = {0, 1, 2, 3, 4, 5, 6, 7}; \
		type apart = (type)(a[1] - a[0]); \
		row expected = counts * apart, differs = {0}; \
		\
		for (unsigned int i = 0; i < PTX_LANES; i += PTX_ROW) { \
			row here; \
			\
			memcpy(&here, a + i, sizeof(here)); \
			differs |= (here - a[i]) ^ expected; \
		} \
		*step = apart; \
		return !any_of(&differs, sizeof(differs)); \
	}
EVENLY(uint32_t)
EVENLY(uint64_t)
/* clang-format on */

static bool find_evenly(const struct ptx_warp *warp, const struct ptx_op *op,
			uint64_t *step)
{
	const void *a = ptx_slot(warp, op->a);

	return op->narrow ? evenly_uint32_t(a, step) : evenly_uint64_t(a, step);
}

/* The host's address of what is at `least`, if all up to the `size` bytes at
 * `most` is in the same memory. `apart` is by how much each lane's memory is
 * behind that of the lane before. */
static unsigned char *together(struct ptx_warp *warp, const struct ptx_op *op,
			       uint64_t least, uint64_t most, size_t size,
			       bool write, size_t *apart)
{
	const uint64_t low = (UINT64_C(1) << PTX_WINDOW_BITS) - 1;
	struct ptx_run *run = warp->run;
	enum ptx_window window = op->window;
	size_t room = run->thread_bytes;

	*apart = 0;
	if (op->generic &&
	    most >> PTX_WINDOW_BITS == least >> PTX_WINDOW_BITS) {
		if (most >> PTX_WINDOW_BITS)
			window = (enum ptx_window)(most >> PTX_WINDOW_BITS);
		least &= low;
		most &= low;
	}
	if (most > low)
		return NULL;
	if (window == PTX_WINDOW_SHARED && most + size <= run->shared_bytes)
		return warp->block->shared + least;
	if (window == PTX_WINDOW_LOCAL && most + size <= room) {
		*apart = room;
		return warp->local + least;
	}
	if (window == PTX_WINDOW_GLOBAL &&
	    may_touch(run, least, most - least + size, write))
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the host's */
		return (unsigned char *)(uintptr_t)least;
	return NULL;
}

unsigned char *ptx_place_if(struct ptx_warp *warp, const struct ptx_op *op,
			    uint64_t addr, size_t size, bool write)
{
	size_t apart;
	unsigned char *at = together(warp, op, addr, addr, size, write, &apart);

	return apart ? NULL : at;
}

static bool places_same(struct ptx_warp *warp, const struct ptx_op *op,
			size_t size, bool write, struct ptx_rows *rows)
{
	uint64_t addr = ptx_address(warp, op, 0);
	unsigned char *at = addr & (size - 1)
				    ? NULL
				    : ptx_place_if(warp, op, addr, size, write);

	if (at)
		ptx_rows_same(rows, at);
	return at;
}

bool ptx_places_even(struct ptx_warp *warp, const struct ptx_op *op,
		     size_t size, bool write, struct ptx_rows *rows)
{
	uint64_t step, at[PTX_ROWS], least = UINT64_MAX, most = 0, bits;
	unsigned char *base;
	size_t apart;

	if (op->fixed)
		return places_same(warp, op, size, write, rows);
	/* A longer or negative step may wrap around. */
	if (!find_evenly(warp, op, &step) || step > UINT32_MAX / PTX_LANES)
		return false;
	bits = step;
	for (unsigned int i = 0; i < PTX_ROWS; i++) {
		at[i] = ptx_address(warp, op, i * PTX_ROW);
		bits |= at[i];
		least = at[i] < least ? at[i] : least;
		most = at[i] > most ? at[i] : most;
	}
	if (bits & (size - 1) || most > UINT64_MAX - PTX_ROW * step)
		return false;
	most += (PTX_ROW - 1) * step;
	base = together(warp, op, least, most, size, write, &apart);
	if (!base)
		return false;
	for (unsigned int i = 0; i < PTX_ROWS; i++)
		rows->first[i] = base + (at[i] - least) + i * PTX_ROW * apart;
	rows->step = step + apart;
	return true;
}

/* The addresses of lanes, and what can be said of them together. */
struct span {
	uint64_t at[PTX_LANES];
	uint64_t least, most, bits; /* bits: all of them or-ed */
};

PTX_WIDE static void span_find(const struct ptx_warp *warp,
			       const struct ptx_op *op, uint32_t mask,
			       struct span *span)
{
	uint64_t least = UINT64_MAX, most = 0, bits = 0;
	const uint32_t *narrow = ptx_slot(warp, op->a);
	const uint64_t *wide = ptx_slot(warp, op->a);
	uint64_t value = (uint64_t)op->value;

	if (op->narrow)
		PTX_EACH_LANE({
			span->at[i] = (uint32_t)(narrow[i] + (uint32_t)value);
		});
	else
		PTX_EACH_LANE({ span->at[i] = wide[i] + value; });
	PTX_EACH_LANE({
		uint64_t takes = mask & ptx_lane_bits[i] ? UINT64_MAX : 0;
		uint64_t at = span->at[i] & takes, low = span->at[i] | ~takes;

		least = low < least ? low : least;
		most = at > most ? at : most;
		bits |= at;
	});
	span->least = least;
	span->most = most;
	span->bits = bits;
}

static bool each_place(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask, size_t size, bool write,
		       const struct span *span, struct ptx_places *places)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t addr = span->at[i];

		if (addr & (size - 1)) {
			ptx_run_fail(warp, op, i, PTX_MISALIGNED,
				     "0x%llx is not aligned to %zu bytes",
				     (unsigned long long)addr, size);
			return false;
		}
		places->at[i] = ptx_place(warp, op, i, addr, size, write);
		if (!places->at[i])
			return false;
	}
	return true;
}

bool ptx_places_find(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask, size_t size, bool write,
		     struct ptx_places *places)
{
	struct span span;
	unsigned char *base;
	size_t apart;

	places->even = mask == PTX_ALL_LANES &&
		       ptx_places_even(warp, op, size, write, &places->rows);
	if (places->even)
		return true;
	span_find(warp, op, mask, &span);
	base = span.bits & (size - 1)
		       ? NULL
		       : together(warp, op, span.least, span.most, size, write,
				  &apart);
	if (!base)
		return each_place(warp, op, mask, size, write, &span, places);
	PTX_FOR_LANES(mask, {
		places->at[i] = base + (span.at[i] - span.least) + i * apart;
	});
	return true;
}
