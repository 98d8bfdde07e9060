/* Loads from memory of all spaces, and stores. */
#include <string.h>

#include "place.h"

/* clang-format off */
/* Does something with each lane `i` and its place `at`, where these are even.
 * Lanes that have the same place come one after the other. */
#define EACH_EVEN(rows, step, alike, what) \
	do { \
		for (unsigned int row_ = 0; row_ < PTX_ROWS; row_++) { \
			unsigned char *at = (rows)->first[row_] + offset; \
			unsigned int i = row_ * PTX_ROW; \
			\
			alike for (; i < (row_ + 1) * PTX_ROW; \
				   i++, at += (step)) \
			{ \
				what; \
			} \
		} \
	} while (0)
/* A step that the compiler knows makes one copy of a row. */
#define EACH_PLACE(places, bytes, what) \
	do { \
		const struct ptx_rows *rows_ = &(places)->rows; \
		\
		if (!(places)->even) \
			PTX_FOR_LANES(mask, { \
				unsigned char *at = (places)->at[i] + offset; \
				\
				what; \
			}); \
		else if (rows_->step == (bytes)) \
			EACH_EVEN(rows_, (bytes), PTX_IVDEP, what); \
		else if (!rows_->step) \
			EACH_EVEN(rows_, 0, , what); \
		else \
			EACH_EVEN(rows_, rows_->step, , what); \
	} while (0)
#define LOADING(to, from) \
	do { \
		to *d = slot; \
		from x; \
		\
		EACH_PLACE(places, sizeof(x), memcpy(&x, at, sizeof(x)); \
			   d[i] = (to)x); \
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

PTX_WIDE static void element_load(const struct ptx_op *op, uint32_t mask,
				  void *slot, uint32_t width,
				  const struct ptx_places *places,
				  size_t offset)
{
	if (width == 8)
		LOADING_TO(uint64_t);
	else if (width == 4)
		LOADING_TO(uint32_t);
	else
		LOADING_TO(uint16_t);
}

static void elements_load(struct ptx_warp *warp, const struct ptx_op *op,
			  uint32_t mask, const struct ptx_places *places)
{
	for (size_t k = 0; k < op->count / 2; k++)
		if (op->list[2 * k] != UINT32_MAX)
			element_load(op, mask, ptx_slot(warp, op->list[2 * k]),
				     op->list[2 * k + 1], places,
				     k * op->bytes);
}

void ptx_exec_load(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	struct ptx_places places;
	size_t size = (size_t)op->bytes * (op->count / 2);

	if (ptx_places_find(warp, op, mask, size, false, &places))
		elements_load(warp, op, mask, &places);
}

/* One element that is as wide as its register. */
/* clang-format off */
#define LOADING_ONE(name, type_) \
	PTX_WIDE void name(struct ptx_warp *warp, const struct ptx_op *op, \
			   uint32_t mask) \
	{ \
		type_ *d = ptx_slot(warp, op->list[0]); \
		struct ptx_places places; \
		size_t offset = 0; \
		\
		if (ptx_places_find(warp, op, mask, sizeof(*d), false, \
				    &places)) \
			EACH_PLACE(&places, sizeof(*d), \
				   memcpy(&d[i], at, sizeof(*d))); \
	}
LOADING_ONE(ptx_exec_load_4, uint32_t)
LOADING_ONE(ptx_exec_load_8, uint64_t)
/* clang-format on */

void ptx_exec_load_param(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask)
{
	unsigned char *at = warp->run->params + op->value;
	struct ptx_places places;

	places.even = mask == PTX_ALL_LANES;
	if (places.even)
		ptx_rows_same(&places.rows, at);
	else
		PTX_EACH_LANE({ places.at[i] = at; });
	elements_load(warp, op, mask, &places);
}

/* Of several lanes that write to the same place, the last is seen. */
/* clang-format off */
#define STORING(bytes, width) \
	EACH_PLACE(places, bytes, memcpy(at, a + i * (width), bytes))
/* clang-format on */

/* The low bytes of a register are in front. */
PTX_WIDE static void element_store(const unsigned char *a, size_t width,
				   uint32_t mask,
				   const struct ptx_places *places,
				   size_t offset, size_t bytes)
{
	if (bytes == 4 && width == 4)
		STORING(4, 4);
	else if (bytes == 8 && width == 8)
		STORING(8, 8);
	else if (bytes == 1)
		STORING(1, width);
	else if (bytes == 2)
		STORING(2, width);
	else
		STORING(bytes, width);
}

void ptx_exec_store(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	struct ptx_places places;
	size_t count = op->count / 2, bytes = op->bytes;

	if (!ptx_places_find(warp, op, mask, bytes * count, true, &places))
		return;
	for (size_t k = 0; k < count; k++)
		element_store(ptx_slot(warp, op->list[2 * k]),
			      op->list[2 * k + 1], mask, &places, k * bytes,
			      bytes);
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
		d = ptx_place(warp, &to, i, ptx_address(warp, op, i), op->count,
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

void ptx_exec_ask(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	enum { PATIENCE = 8 }; /* a few loads in a row are not a wait */
	unsigned int lane = (unsigned int)__builtin_ctz(mask);
	struct ptx_question *last = &warp->asked;
	struct ptx_question now = {op, ptx_address(warp, op, lane), 0, 0};

	memcpy(&now.answer,
	       (char *)ptx_slot(warp, op->d) + (size_t)lane * op->bytes,
	       op->bytes);
	if (last->op != op || last->place != now.place ||
	    last->answer != now.answer) {
		*last = now;
	} else if (++last->times >= PATIENCE) {
		last->times = 0;
		warp->resting |= mask;
		warp->block->waits = true;
	}
}

PTX_WIDE void ptx_exec_cvta(struct ptx_warp *warp, const struct ptx_op *op,
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
