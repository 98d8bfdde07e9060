/* Atomic operations, with the host's own: another thread of the process may
 * work on the same memory. */
#include <string.h>

#include "place.h"
#include "half.h"

static uint64_t whole_work(enum ptx_atomic what, bool is_signed, uint64_t old,
			   uint64_t b, uint64_t c)
{
	switch (what) {
	case PTX_ATOMIC_ADD:
		return old + b;
	case PTX_ATOMIC_AND:
		return old & b;
	case PTX_ATOMIC_OR:
		return old | b;
	case PTX_ATOMIC_XOR:
		return old ^ b;
	case PTX_ATOMIC_MIN:
		if (is_signed)
			return (int64_t)old < (int64_t)b ? old : b;
		return old < b ? old : b;
	case PTX_ATOMIC_MAX:
		if (is_signed)
			return (int64_t)old > (int64_t)b ? old : b;
		return old > b ? old : b;
	case PTX_ATOMIC_INC:
		return old >= b ? 0 : old + 1;
	case PTX_ATOMIC_DEC:
		return !old || old > b ? b : old - 1;
	case PTX_ATOMIC_EXCH:
		return b;
	case PTX_ATOMIC_CAS:
		return old == b ? c : old;
	}
	return old;
}

static float single_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float real;

	memcpy(&real, &low, sizeof(real));
	return real;
}

static double double_of(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

static uint64_t single_sum(uint64_t x, uint64_t y)
{
	float sum = single_of(x) + single_of(y);
	uint32_t bits;

	memcpy(&bits, &sum, sizeof(bits));
	return bits;
}

static uint64_t double_sum(uint64_t x, uint64_t y)
{
	double sum = double_of(x) + double_of(y);
	uint64_t bits;

	memcpy(&bits, &sum, sizeof(bits));
	return bits;
}

static uint64_t half_sum(uint64_t x, uint64_t y, bool brain)
{
	return brain ? ptx_brain_from_real(
			       ptx_brain_to_real((uint16_t)x) +
				       ptx_brain_to_real((uint16_t)y),
			       PTX_MODE_NEAREST)
		     : ptx_half_from_real(ptx_half_to_real((uint16_t)x) +
						  ptx_half_to_real((uint16_t)y),
					  PTX_MODE_NEAREST);
}

static int64_t sign_extend(uint64_t bits, unsigned int bytes)
{
	unsigned int shift = 64 - 8 * bytes;

	return (int64_t)(bits << shift) >> shift;
}

static bool is_whole(enum ptx_type type)
{
	switch (type) {
	case PTX_U32:
	case PTX_S32:
	case PTX_U64:
	case PTX_S64:
		return true;
	default:
		return false;
	}
}

static uint64_t work(enum ptx_atomic what, enum ptx_type type, uint64_t old,
		     uint64_t b, uint64_t c)
{
	bool brain = type == PTX_BF16 || type == PTX_BF16X2;

	if (what == PTX_ATOMIC_ADD) {
		if (type == PTX_F32)
			return single_sum(old, b);
		if (type == PTX_F64)
			return double_sum(old, b);
		if (type == PTX_F16 || type == PTX_BF16)
			return half_sum(old, b, brain);
		if (type == PTX_F16X2 || type == PTX_BF16X2)
			return half_sum(old, b, brain) |
			       half_sum(old >> 16, b >> 16, brain) << 16;
	}
	if (type == PTX_S32)
		return whole_work(what, true, (uint64_t)sign_extend(old, 4),
				  (uint64_t)sign_extend(b, 4), c);
	return whole_work(what, type == PTX_S64, old, b, c);
}

/* What the host has an instruction for, and the rest. */
/* clang-format off */
#define CHANGING(type_) \
	static uint64_t change_##type_(unsigned char *at, \
				       const struct ptx_op *op, uint64_t b, \
				       uint64_t c) \
	{ \
		type_ *place = (type_ *)(void *)at; \
		enum ptx_atomic what = (enum ptx_atomic)op->mode; \
		enum ptx_type type = (enum ptx_type)op->type; \
		type_ old; \
		\
		if (what == PTX_ATOMIC_ADD && is_whole(type)) \
			return __atomic_fetch_add(place, (type_)b, \
						  __ATOMIC_SEQ_CST); \
		if (what == PTX_ATOMIC_AND) \
			return __atomic_fetch_and(place, (type_)b, \
						  __ATOMIC_SEQ_CST); \
		if (what == PTX_ATOMIC_OR) \
			return __atomic_fetch_or(place, (type_)b, \
						 __ATOMIC_SEQ_CST); \
		if (what == PTX_ATOMIC_EXCH) \
			return __atomic_exchange_n(place, (type_)b, \
						   __ATOMIC_SEQ_CST); \
		old = __atomic_load_n(place, __ATOMIC_SEQ_CST); \
		while (!__atomic_compare_exchange_n( \
			place, &old, (type_)work(what, type, old, b, c), \
			false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
			; \
		return old; \
	}
CHANGING(uint16_t)
CHANGING(uint32_t)
CHANGING(uint64_t)
/* clang-format on */

static uint64_t value_at(const struct ptx_warp *warp, uint32_t slot,
			 unsigned int lane, size_t bytes)
{
	const void *values = ptx_slot(warp, slot);

	return bytes == 8   ? ((const uint64_t *)values)[lane]
	       : bytes == 4 ? ((const uint32_t *)values)[lane]
			    : ((const uint16_t *)values)[lane];
}

static bool change(struct ptx_warp *warp, const struct ptx_op *op,
		   unsigned int i)
{
	size_t bytes = op->bytes;
	uint64_t addr = ptx_address(warp, op, i);
	uint64_t b = value_at(warp, op->b, i, bytes);
	uint64_t c = value_at(warp, op->c, i, bytes);
	unsigned char *place;
	uint64_t old;

	if (addr & (bytes - 1)) {
		ptx_run_fail(warp, op, i, PTX_MISALIGNED,
			     "0x%llx is not aligned to %zu bytes",
			     (unsigned long long)addr, bytes);
		return false;
	}
	place = ptx_place(warp, op, i, addr, bytes, true);
	if (!place)
		return false;
	old = bytes == 8   ? change_uint64_t(place, op, b, c)
	      : bytes == 4 ? change_uint32_t(place, op, b, c)
			   : change_uint16_t(place, op, b, c);
	if (op->d != UINT32_MAX)
		memcpy((char *)ptx_slot(warp, op->d) + i * bytes, &old, bytes);
	return true;
}

void ptx_exec_atomic(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask)
{
	for (uint32_t left = mask; left; left &= left - 1)
		if (!change(warp, op, (unsigned int)__builtin_ctz(left)))
			return;
}

void ptx_exec_redux(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	const uint32_t *a = ptx_slot(warp, op->a);
	uint32_t *d = ptx_slot(warp, op->d);
	uint32_t made = a[__builtin_ctz(mask)];

	for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
		made = (uint32_t)work((enum ptx_atomic)op->mode,
				      (enum ptx_type)op->type, made,
				      a[__builtin_ctz(left)], 0);
	PTX_FOR_LANES(mask, { d[i] = made; });
}
