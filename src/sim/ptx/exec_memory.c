/* Memory of all spaces. */
#include <string.h>

#include "exec.h"

static bool range_has(const struct ptx_range *range, uint64_t addr, size_t size,
		      bool write)
{
	return addr >= range->begin && addr < range->end &&
	       size <= range->end - addr && (!write || range->write);
}

/* Variables of the module were given by the host. */
static bool is_own(const struct ptx_run *run, uint64_t addr, size_t size,
		   bool write)
{
	uint64_t params = (uintptr_t)run->params;

	if (!write && addr >= params &&
	    addr + size <= params + run->program->kernel->param_bytes)
		return true;
	if (addr == (uintptr_t)&run->grid_barrier[1] && size <= 4)
		return true;
	for (uint32_t i = 0; i < run->variable_count; i++)
		if (range_has(&run->variables[i], addr, size, write))
			return true;
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
	if (is_own(run, addr, size, write))
		return true;
	if (!run->host->range(run->host->user, addr, write, &found.begin,
			      &found.end) ||
	    !range_has(&found, addr, size, write))
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

static uint64_t address(const struct ptx_warp *warp, const struct ptx_op *op,
			unsigned int lane)
{
	if (op->narrow)
		return (uint32_t)(((const uint32_t *)ptx_slot(warp,
							      op->a))[lane] +
				  (uint32_t)op->value);
	return ((const uint64_t *)ptx_slot(warp, op->a))[lane] +
	       (uint64_t)op->value;
}

/* The addresses of lanes, and what can be said of them together. */
struct span {
	uint64_t at[PTX_LANES];
	uint64_t least, most, bits; /* bits: all of them or-ed */
};

static void span_find(const struct ptx_warp *warp, const struct ptx_op *op,
		      uint32_t mask, struct span *span)
{
	uint64_t least = UINT64_MAX, most = 0, bits = 0;

	PTX_FOR_LANES(mask, { span->at[i] = address(warp, op, i); });
	PTX_FOR_LANES(mask, {
		uint64_t at = span->at[i];

		least = at < least ? at : least;
		most = at > most ? at : most;
		bits |= at;
	});
	span->least = least;
	span->most = most;
	span->bits = bits;
}

/* Mostly all lanes are aligned and in the same memory, which takes one look.
 * False if they have to be looked at one by one. */
static bool places_together(struct ptx_warp *warp, const struct ptx_op *op,
			    uint32_t mask, size_t size, bool write,
			    const struct span *span, unsigned char **places)
{
	const uint64_t low = (UINT64_C(1) << PTX_WINDOW_BITS) - 1;
	struct ptx_run *run = warp->run;
	enum ptx_window window = op->window;
	size_t room = run->thread_bytes;
	uint64_t least = span->least, most = span->most;

	if (span->bits & (size - 1))
		return false;
	if (op->generic &&
	    most >> PTX_WINDOW_BITS == least >> PTX_WINDOW_BITS) {
		if (most >> PTX_WINDOW_BITS)
			window = (enum ptx_window)(most >> PTX_WINDOW_BITS);
		least &= low;
		most &= low;
	}
	if (most > low)
		return false;
	if (window == PTX_WINDOW_SHARED && most + size <= run->shared_bytes)
		PTX_FOR_LANES(mask, {
			places[i] = warp->block->shared + (span->at[i] & low);
		});
	else if (window == PTX_WINDOW_LOCAL && most + size <= room)
		PTX_FOR_LANES(mask, {
			places[i] =
				warp->local + i * room + (span->at[i] & low);
		});
	else if (window == PTX_WINDOW_GLOBAL &&
		 may_touch(run, least, most - least + size, write))
		/* NOLINTBEGIN(performance-no-int-to-ptr): the host's memory */
		PTX_FOR_LANES(mask, {
			places[i] = (unsigned char *)(uintptr_t)span->at[i];
		});
	/* NOLINTEND(performance-no-int-to-ptr) */
	else
		return false;
	return true;
}

/* Where each lane's `size` bytes are. False if one must not touch them. */
static bool places_find(struct ptx_warp *warp, const struct ptx_op *op,
			uint32_t mask, size_t size, bool write,
			unsigned char **places)
{
	struct span span;

	span_find(warp, op, mask, &span);
	if (places_together(warp, op, mask, size, write, &span, places))
		return true;
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t addr = span.at[i];

		if (addr & (size - 1)) {
			ptx_run_fail(warp, op, i, PTX_MISALIGNED,
				     "0x%llx is not aligned to %zu bytes",
				     (unsigned long long)addr, size);
			return false;
		}
		places[i] = ptx_place(warp, op, i, addr, size, write);
		if (!places[i])
			return false;
	}
	return true;
}

/* clang-format off */
#define LOADING(to, from) \
	do { \
		to *d = slot; \
		\
		PTX_FOR_LANES(mask, { \
			from x; \
			\
			memcpy(&x, places[i] + offset, sizeof(x)); \
			d[i] = (to)x; \
		}); \
		return; \
	} while (0)
#define LOADING_TO(to) \
	do { \
		switch (op->type) { \
		case PTX_S8: \
			LOADING(to, int8_t); \
		case PTX_S16: \
			LOADING(to, int16_t); \
		case PTX_S32: \
			LOADING(to, int32_t); \
		default: \
			break; \
		} \
		switch (op->bytes) { \
		case 1: \
			LOADING(to, uint8_t); \
		case 2: \
			LOADING(to, uint16_t); \
		case 4: \
			LOADING(to, uint32_t); \
		default: \
			LOADING(to, uint64_t); \
		} \
	} while (0)
/* clang-format on */

static void element_load(const struct ptx_op *op, uint32_t mask, void *slot,
			 uint32_t width, unsigned char *const *places,
			 size_t offset)
{
	if (width == 8)
		LOADING_TO(uint64_t);
	else if (width == 4)
		LOADING_TO(uint32_t);
	else
		LOADING_TO(uint16_t);
}

void ptx_exec_load(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	unsigned char *places[PTX_LANES];
	size_t count = op->count / 2;

	if (!places_find(warp, op, mask, op->bytes * count, false, places))
		return;
	for (size_t k = 0; k < count; k++)
		if (op->list[2 * k] != UINT32_MAX)
			element_load(op, mask, ptx_slot(warp, op->list[2 * k]),
				     op->list[2 * k + 1], places,
				     k * op->bytes);
}

/* The low bytes of a register are in front. */
void ptx_exec_store(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	unsigned char *places[PTX_LANES];
	size_t count = op->count / 2, bytes = op->bytes;

	if (!places_find(warp, op, mask, bytes * count, true, places))
		return;
	for (size_t k = 0; k < count; k++) {
		const unsigned char *a = ptx_slot(warp, op->list[2 * k]);
		size_t width = op->list[2 * k + 1];
		size_t offset = k * bytes;

		if (bytes == 4)
			PTX_FOR_LANES(mask, {
				memcpy(places[i] + offset, a + i * width, 4);
			});
		else if (bytes == 8)
			PTX_FOR_LANES(mask, {
				memcpy(places[i] + offset, a + i * width, 8);
			});
		else
			PTX_FOR_LANES(mask, {
				memcpy(places[i] + offset, a + i * width,
				       bytes);
			});
	}
}

void ptx_exec_load_param(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask)
{
	unsigned char *places[PTX_LANES];

	for (unsigned int i = 0; i < PTX_LANES; i++)
		places[i] = warp->run->params + op->value;
	for (size_t k = 0; k < op->count / 2; k++)
		if (op->list[2 * k] != UINT32_MAX)
			element_load(op, mask, ptx_slot(warp, op->list[2 * k]),
				     op->list[2 * k + 1], places,
				     k * op->bytes);
}

void ptx_exec_copy_async(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask)
{
	struct ptx_op to = {.window = PTX_WINDOW_SHARED, .line = op->line};
	struct ptx_op from = {.generic = true, .line = op->line};

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint64_t source = ((uint64_t *)ptx_slot(warp, op->b))[i];
		uint32_t size = op->e != UINT32_MAX
					? ((uint32_t *)ptx_slot(warp, op->e))[i]
					: op->count;
		unsigned char *d, *a;

		size = size < op->count ? size : op->count;
		d = ptx_place(warp, &to, i, address(warp, op, i), op->count,
			      true);
		a = d ? ptx_place(warp, &from, i,
				  source + (uint64_t)(int32_t)op->target, size,
				  false)
		      : NULL;
		if (!a)
			return;
		memmove(d, a, size);
		memset(d + size, 0, op->count - size);
	}
}

void ptx_exec_cvta(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	uint64_t base = (uint64_t)op->window << PTX_WINDOW_BITS;
	uint64_t *d = ptx_slot(warp, op->d);
	const uint64_t *a = ptx_slot(warp, op->a);

	base = op->mode ? -base : base;
	PTX_FOR_LANES(mask, { d[i] = a[i] + base; });
}

void ptx_exec_isspacep(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask)
{
	const uint64_t *a = ptx_slot(warp, op->a);
	uint32_t *d = ptx_slot(warp, op->d), made = 0;

	for (unsigned int i = 0; i < PTX_LANES; i++)
		made |= (uint32_t)(a[i] >> PTX_WINDOW_BITS == op->window) << i;
	*d = (*d & ~mask) | (made & mask);
}
