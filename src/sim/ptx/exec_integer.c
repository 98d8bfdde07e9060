/* Arithmetic of integers. */
#include "rows.h"

/* clang-format off */
#define ALL(M) M(u16, uint16_t, 0) M(u32, uint32_t, 0) M(u64, uint64_t, 0) \
	M(s16, int16_t, 1) M(s32, int32_t, 1) M(s64, int64_t, 1)

/* In unsigned numbers, where nothing overflows. */
#define WRAPPING(t, type, wide) \
	PTX_QUICK_BINARY(add_##t, type, type, type, (wide)x + y) \
	PTX_QUICK_BINARY(sub_##t, type, type, type, (wide)x - y) \
	PTX_QUICK_BINARY(mul_##t, type, type, type, (wide)x * y) \
	PTX_QUICK_TERNARY(mad_##t, type, type, type, type, (wide)x * y + z)
WRAPPING(16, uint16_t, uint32_t)
WRAPPING(32, uint32_t, uint32_t)
WRAPPING(64, uint64_t, uint64_t)

/* What a GPU makes of a division by zero is all ones, and the dividend. */
#define DIVIDING(t, type, is_signed) \
	PTX_BINARY(div_##t, type, type, type, \
		   !y ? (type)-1 : (is_signed) && y == (type)-1 \
				 ? (type)-(uint64_t)x : (type)(x / y)) \
	PTX_BINARY(rem_##t, type, type, type, \
		   !y ? x : (is_signed) && y == (type)-1 ? (type)0 \
							  : (type)(x % y)) \
	PTX_QUICK_BINARY(min_##t, type, type, type, x < y ? x : y) \
	PTX_QUICK_BINARY(max_##t, type, type, type, x > y ? x : y)
ALL(DIVIDING)

#define WIDE(t, type, to, bits) \
	PTX_QUICK_BINARY(wide_##t, to, type, type, (to)x * y) \
	PTX_QUICK_TERNARY(mad_wide_##t, to, type, type, to, \
		    (uint64_t)((to)x * y) + (uint64_t)z) \
	PTX_BINARY(hi_##t, type, type, type, ((to)x * y) >> (bits)) \
	PTX_TERNARY(mad_hi_##t, type, type, type, type, \
		    (uint64_t)(((to)x * y) >> (bits)) + (uint64_t)z)
WIDE(u16, uint16_t, uint32_t, 16)
WIDE(s16, int16_t, int32_t, 16)
WIDE(u32, uint32_t, uint64_t, 32)
WIDE(s32, int32_t, int64_t, 32)
PTX_BINARY(hi_u64, uint64_t, uint64_t, uint64_t,
	   (unsigned __int128)x * y >> 64)
PTX_BINARY(hi_s64, int64_t, int64_t, int64_t, (__int128)x * y >> 64)
PTX_TERNARY(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t,
	    (uint64_t)((unsigned __int128)x * y >> 64) + z)
PTX_TERNARY(mad_hi_s64, int64_t, int64_t, int64_t, int64_t,
	    (uint64_t)((__int128)x * y >> 64) + (uint64_t)z)

/* 24-bit factors. */
#define U24(x) ((uint64_t)(x) & 0xffffff)
#define S24(x) ((int64_t)((uint64_t)(x) << 40) >> 40)
PTX_BINARY(mul24_u, uint32_t, uint32_t, uint32_t, U24(x) * U24(y))
PTX_BINARY(mul24_s, int32_t, int32_t, int32_t, S24(x) * S24(y))
PTX_BINARY(mul24_hi_u, uint32_t, uint32_t, uint32_t, U24(x) * U24(y) >> 16)
PTX_BINARY(mul24_hi_s, int32_t, int32_t, int32_t, S24(x) * S24(y) >> 16)
PTX_TERNARY(mad24_u, uint32_t, uint32_t, uint32_t, uint32_t,
	    U24(x) * U24(y) + z)
PTX_TERNARY(mad24_s, int32_t, int32_t, int32_t, int32_t,
	    (uint64_t)(S24(x) * S24(y)) + (uint64_t)z)

static int32_t clamp(int64_t x)
{
	return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN
							 : (int32_t)x;
}

PTX_BINARY(add_sat, int32_t, int32_t, int32_t, clamp((int64_t)x + y))
PTX_BINARY(sub_sat, int32_t, int32_t, int32_t, clamp((int64_t)x - y))
PTX_TERNARY(mad_hi_sat, int32_t, int32_t, int32_t, int32_t,
	    clamp(((int64_t)x * y >> 32) + z))

#define SIGNED(t, type, u) \
	PTX_QUICK_UNARY(abs_##t, type, x < 0 ? (type)-(u)x : x) \
	PTX_QUICK_UNARY(neg_##t, type, -(u)x)
SIGNED(s16, int16_t, uint32_t)
SIGNED(s32, int32_t, uint32_t)
SIGNED(s64, int64_t, uint64_t)

PTX_TERNARY(sad_u16, uint16_t, uint16_t, uint16_t, uint16_t,
	    z + (x < y ? y - x : x - y))
PTX_TERNARY(sad_s16, int16_t, int16_t, int16_t, int16_t,
	    z + (x < y ? y - x : x - y))
PTX_TERNARY(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t,
	    z + (x < y ? y - x : x - y))
PTX_TERNARY(sad_s32, uint32_t, int32_t, int32_t, uint32_t,
	    z + (x < y ? (uint32_t)y - (uint32_t)x
		       : (uint32_t)x - (uint32_t)y))
PTX_TERNARY(sad_u64, uint64_t, uint64_t, uint64_t, uint64_t,
	    z + (x < y ? y - x : x - y))
PTX_TERNARY(sad_s64, uint64_t, int64_t, int64_t, uint64_t,
	    z + (x < y ? (uint64_t)y - (uint64_t)x
		       : (uint64_t)x - (uint64_t)y))

/* Sums of products of bytes: types 0 and 1 say which have signs. */
#define BYTE(x, k, is_signed) \
	((is_signed) ? (int32_t)(int8_t)((x) >> 8 * (k)) \
		     : (int32_t)(uint8_t)((x) >> 8 * (k)))
static uint32_t dot4(const struct ptx_op *op, uint32_t x, uint32_t y,
		     uint32_t z)
{
	for (int k = 0; k < 4; k++)
		z += (uint32_t)(BYTE(x, k, op->type == PTX_S32) *
				BYTE(y, k, op->from_type == PTX_S32));
	return z;
}

static uint32_t dot2(const struct ptx_op *op, uint32_t x, uint32_t y,
		     uint32_t z, int high)
{
	for (int k = 0; k < 2; k++) {
		int32_t half = op->type == PTX_S32
				       ? (int16_t)(x >> 16 * k)
				       : (int32_t)(uint16_t)(x >> 16 * k);

		z += (uint32_t)(half * BYTE(y, k + 2 * high,
					    op->from_type == PTX_S32));
	}
	return z;
}
PTX_TERNARY(dp4a, uint32_t, uint32_t, uint32_t, uint32_t, dot4(op, x, y, z))
PTX_TERNARY(dp2a_lo, uint32_t, uint32_t, uint32_t, uint32_t,
	    dot2(op, x, y, z, 0))
PTX_TERNARY(dp2a_hi, uint32_t, uint32_t, uint32_t, uint32_t,
	    dot2(op, x, y, z, 1))

/* Chains of additions: a thread has one carry, in slot e. It is 1 behind a
 * subtraction that borrows nothing, as compilers take it for granted that an
 * addc adds that. */
#define CARRY_OUT(bit) (*carry = (*carry & ~(1u << i)) | (uint32_t)(bit) << i)
#define CARRYING(t, type) \
	static void add_cc_##t(struct ptx_warp *warp, const struct ptx_op *op, \
			       uint32_t mask) \
	{ \
		type *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const type *b = ptx_slot(warp, op->b); \
		uint32_t *carry = ptx_slot(warp, op->e); \
		bool in = op->mode & 1, out = op->mode & 2; \
		\
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			type sum, more; \
			bool over; \
			\
			if (!(mask >> i & 1)) \
				continue; \
			more = in ? *carry >> i & 1 : 0; \
			over = __builtin_add_overflow(a[i], b[i], &sum); \
			over |= __builtin_add_overflow(sum, more, &sum); \
			d[i] = sum; \
			if (out) \
				CARRY_OUT(over); \
		} \
	} \
	static void sub_cc_##t(struct ptx_warp *warp, const struct ptx_op *op, \
			       uint32_t mask) \
	{ \
		type *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const type *b = ptx_slot(warp, op->b); \
		uint32_t *carry = ptx_slot(warp, op->e); \
		bool in = op->mode & 1, out = op->mode & 2; \
		\
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			type sum, less; \
			bool under; \
			\
			if (!(mask >> i & 1)) \
				continue; \
			less = in ? ~*carry >> i & 1 : 0; \
			under = __builtin_sub_overflow(a[i], b[i], &sum); \
			under |= __builtin_sub_overflow(sum, less, &sum); \
			d[i] = sum; \
			if (out) \
				CARRY_OUT(!under); \
		} \
	}
CARRYING(32, uint32_t)
CARRYING(64, uint64_t)

/* The same with a product: its low or its high half is added. */
#define PRODUCTS(t, number, wide, bits, half, shift) \
	static void mad_##half##_cc_##t(struct ptx_warp *warp, \
					const struct ptx_op *op, uint32_t mask) \
	{ \
		number *d = ptx_slot(warp, op->d); \
		const number *a = ptx_slot(warp, op->a); \
		const number *b = ptx_slot(warp, op->b); \
		const number *c = ptx_slot(warp, op->c); \
		uint32_t *carry = ptx_slot(warp, op->e); \
		bool in = op->mode & 1, out = op->mode & 2; \
		bool is_signed = op->type == PTX_S32 || op->type == PTX_S64; \
		\
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			number x = a[i], y = b[i], sum; \
			number part = (number)((wide)x * y >> (shift)); \
			bool over; \
			\
			if (!(mask >> i & 1)) \
				continue; \
			if ((shift) && is_signed) \
				part -= (x >> ((bits)-1) ? y : 0) + \
					(y >> ((bits)-1) ? x : 0); \
			over = __builtin_add_overflow(part, c[i], &sum); \
			over |= __builtin_add_overflow( \
				sum, (number)(in ? *carry >> i & 1 : 0), &sum); \
			d[i] = sum; \
			if (out) \
				CARRY_OUT(over); \
		} \
	}
PRODUCTS(32, uint32_t, uint64_t, 32, lo, 0)
PRODUCTS(32, uint32_t, uint64_t, 32, hi, 32)
PRODUCTS(64, uint64_t, unsigned __int128, 64, lo, 0)
PRODUCTS(64, uint64_t, unsigned __int128, 64, hi, 64)

#define INT16 (PTX_IS(U16) | PTX_IS(S16))
#define INT32 (PTX_IS(U32) | PTX_IS(S32) | PTX_IS(B32))
#define INT64 (PTX_IS(U64) | PTX_IS(S64) | PTX_IS(B64))
#define WRAPPING_ROWS(name, form, shape, run) \
	{name, form, INT16, shape, run##_16}, \
	{name, form, INT32, shape, run##_32}, \
	{name, form, INT64, shape, run##_64}
#define ROWS_OF(name, form, shape, run) \
	{name, form, PTX_IS(U16), shape, run##_u16}, \
	{name, form, PTX_IS(U32), shape, run##_u32}, \
	{name, form, PTX_IS(U64), shape, run##_u64}, \
	{name, form, PTX_IS(S16), shape, run##_s16}, \
	{name, form, PTX_IS(S32), shape, run##_s32}, \
	{name, form, PTX_IS(S64), shape, run##_s64}
#define WIDE_ROWS(name, shape, run) \
	{name, "wide", PTX_IS(U16), shape, run##_u16}, \
	{name, "wide", PTX_IS(U32), shape, run##_u32}, \
	{name, "wide", PTX_IS(S16), shape, run##_s16}, \
	{name, "wide", PTX_IS(S32), shape, run##_s32}

static const struct ptx_row rows[] = {
	{"add", "sat", PTX_IS(S32), "TTT", add_sat},
	{"sub", "sat", PTX_IS(S32), "TTT", sub_sat},
	{"mad", "hi,sat", PTX_IS(S32), "TTTT", mad_hi_sat},
	{"add", "cc", INT32, "TTT", add_cc_32},
	{"add", "cc", INT64, "TTT", add_cc_64},
	{"sub", "cc", INT32, "TTT", sub_cc_32},
	{"sub", "cc", INT64, "TTT", sub_cc_64},
	{"addc", NULL, INT32, "TTT", add_cc_32},
	{"addc", NULL, INT64, "TTT", add_cc_64},
	{"subc", NULL, INT32, "TTT", sub_cc_32},
	{"subc", NULL, INT64, "TTT", sub_cc_64},
	{"mad", "lo,cc", INT32, "TTTT", mad_lo_cc_32},
	{"mad", "hi,cc", INT32, "TTTT", mad_hi_cc_32},
	{"mad", "lo,cc", INT64, "TTTT", mad_lo_cc_64},
	{"mad", "hi,cc", INT64, "TTTT", mad_hi_cc_64},
	{"madc", "lo", INT32, "TTTT", mad_lo_cc_32},
	{"madc", "hi", INT32, "TTTT", mad_hi_cc_32},
	{"madc", "lo", INT64, "TTTT", mad_lo_cc_64},
	{"madc", "hi", INT64, "TTTT", mad_hi_cc_64},
	WRAPPING_ROWS("add", NULL, "TTT", add),
	WRAPPING_ROWS("sub", NULL, "TTT", sub),
	WRAPPING_ROWS("mul", "lo", "TTT", mul),
	WRAPPING_ROWS("mad", "lo", "TTTT", mad),
	ROWS_OF("mul", "hi", "TTT", hi),
	ROWS_OF("mad", "hi", "TTTT", mad_hi),
	WIDE_ROWS("mul", "WTT", wide),
	WIDE_ROWS("mad", "WTTW", mad_wide),
	{"mul24", "lo", PTX_IS(U32), "TTT", mul24_u},
	{"mul24", "lo", PTX_IS(S32), "TTT", mul24_s},
	{"mul24", "hi", PTX_IS(U32), "TTT", mul24_hi_u},
	{"mul24", "hi", PTX_IS(S32), "TTT", mul24_hi_s},
	{"mad24", "lo", PTX_IS(U32), "TTTT", mad24_u},
	{"mad24", "lo", PTX_IS(S32), "TTTT", mad24_s},
	ROWS_OF("div", NULL, "TTT", div),
	ROWS_OF("rem", NULL, "TTT", rem),
	ROWS_OF("min", NULL, "TTT", min),
	ROWS_OF("max", NULL, "TTT", max),
	ROWS_OF("sad", NULL, "TTTT", sad),
	{"abs", NULL, PTX_IS(S16), "TT", abs_s16},
	{"abs", NULL, PTX_IS(S32), "TT", abs_s32},
	{"abs", NULL, PTX_IS(S64), "TT", abs_s64},
	{"neg", NULL, PTX_IS(S16), "TT", neg_s16},
	{"neg", NULL, PTX_IS(S32), "TT", neg_s32},
	{"neg", NULL, PTX_IS(S64), "TT", neg_s64},
	{"dp4a", NULL, INT32, "4444", dp4a},
	{"dp2a", "lo", INT32, "4444", dp2a_lo},
	{"dp2a", "hi", INT32, "4444", dp2a_hi},
};
/* clang-format on */

const struct ptx_rows ptx_rows_integer = PTX_ROWS(rows);
