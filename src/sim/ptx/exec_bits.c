/* Logic, shifts, and fields of bits. */
#include "rows.h"

/* Mostly all lanes shift by the same amount, which vectors can do. */
static bool is_same(const uint32_t *b, uint32_t mask)
{
	uint32_t differs = mask ^ PTX_ALL_LANES;

	for (unsigned int i = 0; i < PTX_LANES; i++)
		differs |= b[i] ^ b[0];
	return !differs;
}

/* clang-format off */
#define SHIFT(name, type, ...) \
	static void name(struct ptx_warp *warp, const struct ptx_op *op, \
			 uint32_t mask) \
	{ \
		type *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const uint32_t *b = ptx_slot(warp, op->b); \
		\
		if (is_same(b, mask)) { \
			uint32_t y = b[0]; \
			\
			PTX_IVDEP \
			for (unsigned int i = 0; i < PTX_LANES; i++) { \
				type x = a[i]; \
				d[i] = (type)(__VA_ARGS__); \
			} \
			return; \
		} \
		PTX_FOR_LANES(mask, { \
			type x = a[i]; \
			uint32_t y = b[i]; \
			d[i] = (type)(__VA_ARGS__); \
		}); \
	}
#define LOGIC(t, type) \
	PTX_QUICK_BINARY(and_##t, type, type, type, x & y) \
	PTX_QUICK_BINARY(or_##t, type, type, type, x | y) \
	PTX_QUICK_BINARY(xor_##t, type, type, type, x ^ y) \
	PTX_QUICK_UNARY(not_##t, type, ~x) \
	PTX_UNARY(cnot_##t, type, !x) \
	SHIFT(shl_##t, type, y < sizeof(type) * 8 ? (uint64_t)x << y : 0) \
	SHIFT(shr_u_##t, type, y < sizeof(type) * 8 ? (uint64_t)x >> y : 0)
LOGIC(16, uint16_t)
LOGIC(32, uint32_t)
LOGIC(64, uint64_t)

#define MOST(type, y) ((y) < sizeof(type) * 8 ? (y) : sizeof(type) * 8 - 1)
SHIFT(shr_s16, int16_t, x >> MOST(int16_t, y))
SHIFT(shr_s32, int32_t, x >> MOST(int32_t, y))
SHIFT(shr_s64, int64_t, x >> MOST(int64_t, y))

/* x is the low half, y the high one; the amount wraps, or stops at 32. */
#define JOINED ((uint64_t)y << 32 | x)
#define UP(amount) (JOINED << (amount) >> 32)
#define DOWN(amount) (JOINED >> (amount))
PTX_TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, UP(z & 31))
PTX_TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, DOWN(z & 31))
PTX_TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t,
	    z >= 32 ? x : UP(z))
PTX_TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t,
	    z >= 32 ? y : DOWN(z))

static uint32_t reverse32(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}

static uint64_t reverse64(uint64_t x)
{
	return (uint64_t)reverse32((uint32_t)x) << 32 |
	       reverse32((uint32_t)(x >> 32));
}

PTX_UNARY(brev_32, uint32_t, reverse32(x))
PTX_UNARY(brev_64, uint64_t, reverse64(x))

/* The results of these have another width than their operand. */
#define TO32(name, type, ...) \
	static void name(struct ptx_warp *warp, const struct ptx_op *op, \
			 uint32_t mask) \
	{ \
		uint32_t *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		\
		PTX_FOR_LANES(mask, { \
			type x = a[i]; \
			d[i] = (uint32_t)(__VA_ARGS__); \
		}); \
	}
TO32(popc_32, uint32_t, __builtin_popcount(x))
TO32(popc_64, uint64_t, __builtin_popcountll(x))
TO32(clz_32, uint32_t, x ? __builtin_clz(x) : 32)
TO32(clz_64, uint64_t, x ? __builtin_clzll(x) : 64)

/* The highest bit that is not the sign's. */
static uint32_t highest(uint64_t x)
{
	return x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static uint32_t shift_to(uint32_t bit, uint32_t top)
{
	return bit == UINT32_MAX ? bit : top - bit;
}

TO32(bfind_u32, uint32_t, highest(x))
TO32(bfind_u64, uint64_t, highest(x))
TO32(bfind_s32, int32_t, highest((uint32_t)(x < 0 ? ~x : x)))
TO32(bfind_s64, int64_t, highest((uint64_t)(x < 0 ? ~x : x)))
TO32(bfind_shift_u32, uint32_t, shift_to(highest(x), 31))
TO32(bfind_shift_u64, uint64_t, shift_to(highest(x), 63))
TO32(bfind_shift_s32, int32_t,
     shift_to(highest((uint32_t)(x < 0 ? ~x : x)), 31))
TO32(bfind_shift_s64, int64_t,
     shift_to(highest((uint64_t)(x < 0 ? ~x : x)), 63))

/* `length` bits from `at` on; the sign is that of the last bit there is. */
static uint64_t extract(uint64_t x, uint32_t at, uint32_t length,
			unsigned int width, bool is_signed)
{
	uint64_t got;
	uint32_t last;

	at &= 0xff;
	length &= 0xff;
	if (!length)
		return 0;
	got = at < width ? x >> at : 0;
	if (length < 64)
		got &= (UINT64_C(1) << length) - 1;
	last = at + length - 1 < width - 1 ? at + length - 1 : width - 1;
	if (is_signed && x >> last & 1) {
		uint32_t have = at <= last ? last - at + 1 : 0;

		if (have < 64)
			got |= ~UINT64_C(0) << have;
	}
	return got;
}

PTX_TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t,
	    extract(x, y, z, 32, false))
PTX_TERNARY(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t,
	    extract(x, y, z, 32, true))
PTX_TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t,
	    extract(x, y, z, 64, false))
PTX_TERNARY(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t,
	    extract(x, y, z, 64, true))

static uint64_t field(uint32_t at, uint32_t length)
{
	uint64_t ones;

	at &= 0xff;
	length &= 0xff;
	ones = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
	return at < 64 ? ones << at : 0;
}

#define INSERTING(t, type) \
	static void bfi_##t(struct ptx_warp *warp, const struct ptx_op *op, \
			    uint32_t mask) \
	{ \
		type *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const type *b = ptx_slot(warp, op->b); \
		const uint32_t *c = ptx_slot(warp, op->c); \
		const uint32_t *e = ptx_slot(warp, op->e); \
		\
		PTX_FOR_LANES(mask, { \
			uint64_t bits = field(c[i], e[i]); \
			uint32_t at = c[i] & 0xff; \
			uint64_t put = at < 64 ? (uint64_t)a[i] << at : 0; \
			\
			d[i] = (type)((b[i] & ~bits) | (put & bits)); \
		}); \
	}
INSERTING(32, uint32_t)
INSERTING(64, uint64_t)

static uint32_t permute(uint32_t x, uint32_t y, uint32_t how)
{
	uint64_t bytes = (uint64_t)y << 32 | x;
	uint32_t made = 0;

	for (int k = 0; k < 4; k++, how >>= 4) {
		uint8_t byte = (uint8_t)(bytes >> 8 * (how & 7));

		if (how & 8)
			byte = byte & 0x80 ? 0xff : 0;
		made |= (uint32_t)byte << 8 * k;
	}
	return made;
}

PTX_TERNARY(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(x, y, z))

/* The modes of prmt: which bytes are taken for the low two bits of c. */
static const uint16_t modes[][4] = {
	{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
	{0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
	{0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
};
#define PERMUTING(name, mode) \
	PTX_TERNARY(name, uint32_t, uint32_t, uint32_t, uint32_t, \
		    permute(x, y, modes[mode][z & 3]))
PERMUTING(prmt_f4e, 0)
PERMUTING(prmt_b4e, 1)
PERMUTING(prmt_rc8, 2)
PERMUTING(prmt_ecl, 3)
PERMUTING(prmt_ecr, 4)
PERMUTING(prmt_rc16, 5)

/* Any function of three bits: its table is the low byte of value. */
static void lop3(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	uint32_t *d = ptx_slot(warp, op->d);
	const uint32_t *a = ptx_slot(warp, op->a);
	const uint32_t *b = ptx_slot(warp, op->b);
	const uint32_t *c = ptx_slot(warp, op->c);
	const uint32_t *e = ptx_slot(warp, op->e);

	PTX_FOR_LANES(mask, {
		uint32_t x = a[i];
		uint32_t y = b[i];
		uint32_t z = c[i];
		uint32_t made = 0;

		for (unsigned int k = 0; k < 8; k++)
			if (e[i] >> k & 1)
				made |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) &
					(k & 1 ? z : ~z);
		d[i] = made;
	});
}

/* The place of the n-th set bit, counted from `from` up or down. */
static uint32_t nth_set(uint32_t x, uint32_t from, int32_t n)
{
	int32_t step = n < 0 ? -1 : 1;

	if (!n)
		return from < 32 && x >> from & 1 ? from : UINT32_MAX;
	for (int64_t at = from; at >= 0 && at < 32; at += step)
		if (x >> at & 1 && !(n -= step))
			return (uint32_t)at;
	return UINT32_MAX;
}

PTX_TERNARY(fns, uint32_t, uint32_t, uint32_t, int32_t, nth_set(x, y, z))

PTX_BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t,
	   x < 32 ? (y < 32 ? (1u << y) - 1 : UINT32_MAX) << x : 0)
PTX_BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t,
	   ((1u << (y & 31)) - 1) << (x & 31))

/* Two numbers of 16 bits in a register. */
#define TWO(low, high) ((uint32_t)(uint16_t)(low) | (uint32_t)(high) << 16)
#define LOW(x) ((int16_t)(x))
#define HIGH(x) ((int16_t)((x) >> 16))
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST_OF(x, y) ((x) > (y) ? (x) : (y))
PTX_BINARY(add_16x2, uint32_t, uint32_t, uint32_t,
	   TWO(x + y, (x >> 16) + (y >> 16)))
PTX_BINARY(min_u16x2, uint32_t, uint32_t, uint32_t,
	   TWO(LEAST(x & 0xffff, y & 0xffff), LEAST(x >> 16, y >> 16)))
PTX_BINARY(max_u16x2, uint32_t, uint32_t, uint32_t,
	   TWO(MOST_OF(x & 0xffff, y & 0xffff), MOST_OF(x >> 16, y >> 16)))
PTX_BINARY(min_s16x2, uint32_t, uint32_t, uint32_t,
	   TWO(LEAST(LOW(x), LOW(y)), LEAST(HIGH(x), HIGH(y))))
PTX_BINARY(max_s16x2, uint32_t, uint32_t, uint32_t,
	   TWO(MOST_OF(LOW(x), LOW(y)), MOST_OF(HIGH(x), HIGH(y))))

/* Predicates are masks of lanes already. */
#define PREDICATE(name, expression) \
	static void name(struct ptx_warp *warp, const struct ptx_op *op, \
			 uint32_t mask) \
	{ \
		uint32_t *d = ptx_slot(warp, op->d); \
		uint32_t x = *(uint32_t *)ptx_slot(warp, op->a); \
		uint32_t y = *(uint32_t *)ptx_slot(warp, op->b); \
		\
		(void)y; \
		*d = (*d & ~mask) | ((expression) & mask); \
	}
PREDICATE(and_pred, x & y)
PREDICATE(or_pred, x | y)
PREDICATE(xor_pred, x ^ y)
PREDICATE(not_pred, ~x)

#define LOGIC_ROWS(name, shape, run) \
	{name, NULL, PTX_ANY16, shape, run##_16}, \
	{name, NULL, PTX_ANY32, shape, run##_32}, \
	{name, NULL, PTX_ANY64, shape, run##_64}
#define PRMT_ROW(mode) {"prmt", #mode, PTX_ANY32, "4444", prmt_##mode}

static const struct ptx_row rows[] = {
	{"and", NULL, PTX_IS(PRED), "PPP", and_pred},
	{"or", NULL, PTX_IS(PRED), "PPP", or_pred},
	{"xor", NULL, PTX_IS(PRED), "PPP", xor_pred},
	{"not", NULL, PTX_IS(PRED), "PP", not_pred},
	LOGIC_ROWS("and", "TTT", and),
	LOGIC_ROWS("or", "TTT", or),
	LOGIC_ROWS("xor", "TTT", xor),
	LOGIC_ROWS("not", "TT", not),
	LOGIC_ROWS("cnot", "TT", cnot),
	LOGIC_ROWS("shl", "TT4", shl),
	{"shr", NULL, PTX_IS(S16), "TT4", shr_s16},
	{"shr", NULL, PTX_IS(S32), "TT4", shr_s32},
	{"shr", NULL, PTX_IS(S64), "TT4", shr_s64},
	LOGIC_ROWS("shr", "TT4", shr_u),
	{"shf", "l,wrap", PTX_ANY32, "4444", shf_l_wrap},
	{"shf", "r,wrap", PTX_ANY32, "4444", shf_r_wrap},
	{"shf", "l,clamp", PTX_ANY32, "4444", shf_l_clamp},
	{"shf", "r,clamp", PTX_ANY32, "4444", shf_r_clamp},
	{"popc", NULL, PTX_ANY32, "4T", popc_32},
	{"popc", NULL, PTX_ANY64, "4T", popc_64},
	{"clz", NULL, PTX_ANY32, "4T", clz_32},
	{"clz", NULL, PTX_ANY64, "4T", clz_64},
	{"brev", NULL, PTX_ANY32, "TT", brev_32},
	{"brev", NULL, PTX_ANY64, "TT", brev_64},
	{"bfind", "shiftamt", PTX_IS(U32), "4T", bfind_shift_u32},
	{"bfind", "shiftamt", PTX_IS(U64), "4T", bfind_shift_u64},
	{"bfind", "shiftamt", PTX_IS(S32), "4T", bfind_shift_s32},
	{"bfind", "shiftamt", PTX_IS(S64), "4T", bfind_shift_s64},
	{"bfind", NULL, PTX_IS(U32), "4T", bfind_u32},
	{"bfind", NULL, PTX_IS(U64), "4T", bfind_u64},
	{"bfind", NULL, PTX_IS(S32), "4T", bfind_s32},
	{"bfind", NULL, PTX_IS(S64), "4T", bfind_s64},
	{"bfe", NULL, PTX_IS(U32), "TT44", bfe_u32},
	{"bfe", NULL, PTX_IS(S32), "TT44", bfe_s32},
	{"bfe", NULL, PTX_IS(U64), "TT44", bfe_u64},
	{"bfe", NULL, PTX_IS(S64), "TT44", bfe_s64},
	{"bfi", NULL, PTX_ANY32, "TTT44", bfi_32},
	{"bfi", NULL, PTX_ANY64, "TTT44", bfi_64},
	PRMT_ROW(f4e), PRMT_ROW(b4e), PRMT_ROW(rc8), PRMT_ROW(ecl),
	PRMT_ROW(ecr), PRMT_ROW(rc16),
	{"prmt", NULL, PTX_ANY32, "4444", prmt},
	{"lop3", NULL, PTX_ANY32, "44444", lop3},
	{"fns", NULL, PTX_ANY32, "4444", fns},
	{"add", NULL, PTX_IS(U16X2) | PTX_IS(S16X2), "TTT", add_16x2},
	{"min", NULL, PTX_IS(U16X2), "TTT", min_u16x2},
	{"max", NULL, PTX_IS(U16X2), "TTT", max_u16x2},
	{"min", NULL, PTX_IS(S16X2), "TTT", min_s16x2},
	{"max", NULL, PTX_IS(S16X2), "TTT", max_s16x2},
	{"bmsk", "clamp", PTX_ANY32, "444", bmsk_clamp},
	{"bmsk", "wrap", PTX_ANY32, "444", bmsk_wrap},
};
/* clang-format on */

const struct ptx_rows ptx_rows_bits = PTX_ROWS(rows);
