/* What the lanes of a warp tell each other. */
#include <string.h>

#include "exec.h"

/* The lane that lane i reads, and whether it may: b is how far, c has the
 * bounds of the segment. */
static bool source_find(unsigned int i, uint32_t b, uint32_t c,
			unsigned int how, unsigned int *source)
{
	unsigned int clamp = c & 31, segment = c >> 8 & 31;
	unsigned int first = i & segment;
	unsigned int last = first | (clamp & ~segment);
	int at;

	b &= 31;
	switch (how) {
	case PTX_SHUFFLE_UP:
		at = (int)i - (int)b;
		*source = (unsigned int)(at >= (int)last ? at : (int)i);
		return at >= (int)last;
	case PTX_SHUFFLE_DOWN:
		at = (int)(i + b);
		break;
	case PTX_SHUFFLE_BFLY:
		at = (int)(i ^ b);
		break;
	default:
		at = (int)(first | (b & ~segment & 31));
		break;
	}
	*source = at <= (int)last ? (unsigned int)at : i;
	return at <= (int)last;
}

void ptx_exec_shuffle(struct ptx_warp *warp, const struct ptx_op *op,
		      uint32_t mask)
{
	uint32_t *d = ptx_slot(warp, op->d), *p = ptx_slot(warp, op->e);
	const uint32_t *b = ptx_slot(warp, op->b), *c = ptx_slot(warp, op->c);
	uint32_t from[PTX_LANES], found = 0;

	memcpy(from, ptx_slot(warp, op->a), sizeof(from));
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left), source;

		found |= (uint32_t)source_find(i, b[i], c[i], op->mode, &source)
			 << i;
		d[i] = from[source];
	}
	*p = (*p & ~mask) | found;
}

void ptx_exec_vote(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	uint32_t yes = *(uint32_t *)ptx_slot(warp, op->a) & mask;
	uint32_t *d = ptx_slot(warp, op->d);
	bool is = op->mode == PTX_VOTE_ALL   ? yes == mask
		  : op->mode == PTX_VOTE_ANY ? yes != 0
					     : yes == mask || !yes;

	if (op->mode == PTX_VOTE_BALLOT)
		PTX_FOR_LANES(mask, { d[i] = yes; });
	else
		*d = (*d & ~mask) | (is ? mask : 0);
}

static uint64_t value_at(const void *slot, unsigned int lane, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)slot + lane * bytes, bytes);
	return value;
}

void ptx_exec_match(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	uint32_t *d = ptx_slot(warp, op->d), *p = ptx_slot(warp, op->e);
	const void *a = ptx_slot(warp, op->a);
	uint32_t made[PTX_LANES] = {0};
	bool all = true;

	for (unsigned int i = 0; i < PTX_LANES; i++)
		for (unsigned int k = 0; k < PTX_LANES; k++)
			if (mask >> i & mask >> k & 1 &&
			    value_at(a, i, op->bytes) ==
				    value_at(a, k, op->bytes))
				made[i] |= UINT32_C(1) << k;
	PTX_FOR_LANES(mask, { all &= made[i] == mask; });
	PTX_FOR_LANES(mask, { d[i] = op->mode ? all ? mask : 0 : made[i]; });
	*p = (*p & ~mask) | (all ? mask : 0);
}

void ptx_exec_elect(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	uint32_t *d = ptx_slot(warp, op->d), *p = ptx_slot(warp, op->e);
	uint32_t first = (uint32_t)__builtin_ctz(mask);

	PTX_FOR_LANES(mask, { d[i] = first; });
	*p = (*p & ~mask) | UINT32_C(1) << first;
}
