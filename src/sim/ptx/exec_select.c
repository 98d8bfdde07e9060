/* Comparisons, and what chooses by their results. */
#include <math.h>
#include <string.h>

#include "exec.h"
#include "half.h"
#include "rows.h"

/* clang-format off */
/* The lanes for which something is true of x and y, which are a and b. */
#define WHERE(type, load, ...) \
	do { \
		PTX_IVDEP \
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			type x = load(a[i]), y = load(b[i]); \
			\
			is[i] = (__VA_ARGS__); \
		} \
	} while (0)

/* What a comparison accepts: less, equal, greater, and NaN. */
#define COMPARING(t, type, stored, load) \
	PTX_WIDE static uint32_t compare_##t(const struct ptx_warp *warp, \
					     const struct ptx_op *op) \
	{ \
		const stored *a = ptx_slot(warp, op->a); \
		const stored *b = ptx_slot(warp, op->b); \
		bool less = op->count & PTX_LESS; \
		bool equal = op->count & PTX_EQUAL; \
		bool greater = op->count & PTX_GREATER; \
		bool unordered = op->count & PTX_UNORDERED; \
		uint8_t is[PTX_LANES]; \
		\
		switch (op->count) { \
		case PTX_LESS: \
			WHERE(type, load, x < y); \
			break; \
		case PTX_LESS | PTX_EQUAL: \
			WHERE(type, load, x <= y); \
			break; \
		case PTX_EQUAL: \
			WHERE(type, load, x == y); \
			break; \
		case PTX_GREATER: \
			WHERE(type, load, x > y); \
			break; \
		case PTX_GREATER | PTX_EQUAL: \
			WHERE(type, load, x >= y); \
			break; \
		case PTX_LESS | PTX_GREATER: \
			WHERE(type, load, (x < y) | (x > y)); \
			break; \
		case PTX_LESS | PTX_GREATER | PTX_UNORDERED: \
			WHERE(type, load, x != y); \
			break; \
		default: \
			WHERE(type, load, x < y    ? less \
					  : x == y ? equal \
					  : x > y  ? greater \
						   : unordered); \
		} \
		return ptx_mask_of(is); \
	}
#define AS_IT_IS(x) (x)
COMPARING(u16, uint16_t, uint16_t, AS_IT_IS)
COMPARING(u32, uint32_t, uint32_t, AS_IT_IS)
COMPARING(u64, uint64_t, uint64_t, AS_IT_IS)
COMPARING(s16, int16_t, int16_t, AS_IT_IS)
COMPARING(s32, int32_t, int32_t, AS_IT_IS)
COMPARING(s64, int64_t, int64_t, AS_IT_IS)
COMPARING(f32, float, float, AS_IT_IS)
COMPARING(f64, double, double, AS_IT_IS)
COMPARING(f16, float, uint16_t, ptx_half_to_real)
COMPARING(bf16, float, uint16_t, ptx_brain_to_real)
/* clang-format on */

/* Lanes for which a comparison is true, also of those that do not count. */
static uint32_t compare(const struct ptx_warp *warp, const struct ptx_op *op)
{
	switch (op->type) {
	case PTX_U16:
	case PTX_B16:
		return compare_u16(warp, op);
	case PTX_U32:
	case PTX_B32:
		return compare_u32(warp, op);
	case PTX_U64:
	case PTX_B64:
		return compare_u64(warp, op);
	case PTX_S16:
		return compare_s16(warp, op);
	case PTX_S32:
		return compare_s32(warp, op);
	case PTX_S64:
		return compare_s64(warp, op);
	case PTX_F32:
		return compare_f32(warp, op);
	case PTX_F64:
		return compare_f64(warp, op);
	case PTX_F16:
		return compare_f16(warp, op);
	default:
		return compare_bf16(warp, op);
	}
}

uint32_t ptx_combine(uint32_t x, uint32_t y, uint32_t how)
{
	switch (how) {
	case PTX_COMBINE_AND:
		return x & y;
	case PTX_COMBINE_OR:
		return x | y;
	case PTX_COMBINE_XOR:
		return x ^ y;
	default:
		return x;
	}
}

void ptx_exec_setp(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	uint32_t found = compare(warp, op);
	uint32_t third = *(uint32_t *)ptx_slot(warp, op->c);
	uint32_t *p = ptx_slot(warp, op->d), *q = ptx_slot(warp, op->e);
	uint32_t yes = ptx_combine(found, third, op->target) & mask;
	uint32_t no = ptx_combine(~found, third, op->target) & mask;

	*q = (*q & ~mask) | no;
	*p = (*p & ~mask) | yes;
}

/* The result is a number: all ones or 0, or 1.0 if it is a float. */
void ptx_exec_set(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	uint32_t third = *(uint32_t *)ptx_slot(warp, op->c);
	uint32_t yes = ptx_combine(compare(warp, op), third, op->target);
	uint32_t one =
		op->from_type == PTX_F32 ? UINT32_C(0x3f800000) : UINT32_MAX;
	uint32_t *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, { d[i] = yes >> i & 1 ? one : 0; });
}

/* clang-format off */
#define SELECTING(t, type) \
	PTX_WIDE static void selp_##t(struct ptx_warp *warp, \
				      const struct ptx_op *op, uint32_t mask) \
	{ \
		type *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const type *b = ptx_slot(warp, op->b); \
		uint32_t c = *(uint32_t *)ptx_slot(warp, op->c); \
		\
		PTX_FOR_LANES(mask, { \
			type x = a[i], y = b[i]; \
			\
			d[i] = c & ptx_lane_bits[i] ? x : y; \
		}); \
	} \
	PTX_TERNARY(slct_s_##t, type, type, type, int32_t, z >= 0 ? x : y) \
	PTX_TERNARY(slct_f_##t, type, type, type, float, z >= 0 ? x : y)
SELECTING(16, uint16_t)
SELECTING(32, uint32_t)
SELECTING(64, uint64_t)

#define TESTING(t, type) \
	static uint32_t test_##t(const struct ptx_warp *warp, \
				 const struct ptx_op *op) \
	{ \
		const type *a = ptx_slot(warp, op->a); \
		uint32_t made = 0; \
		\
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			int kind = fpclassify(a[i]); \
			bool is = kind == FP_NAN	 ? op->mode & 1 \
				  : kind == FP_INFINITE	 ? op->mode & 2 \
				  : kind == FP_SUBNORMAL ? op->mode & 4 \
				  : kind == FP_ZERO	 ? op->mode & 16 \
							 : op->mode & 8; \
			\
			made |= (uint32_t)is << i; \
		} \
		return made; \
	}
TESTING(f32, float)
TESTING(f64, double)

void ptx_exec_testp(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	uint32_t *p = ptx_slot(warp, op->d);
	uint32_t found = op->type == PTX_F32 ? test_f32(warp, op)
					     : test_f64(warp, op);

	*p = (*p & ~mask) | (found & mask);
}

static const struct ptx_row rows[] = {
	{"selp", NULL, PTX_ANY16, "TTTP", selp_16},
	{"selp", NULL, PTX_ANY32, "TTTP", selp_32},
	{"selp", NULL, PTX_ANY64, "TTTP", selp_64},
	{"slct", "s32", PTX_ANY16, "TTT4", slct_s_16},
	{"slct", "s32", PTX_ANY32, "TTT4", slct_s_32},
	{"slct", "s32", PTX_ANY64, "TTT4", slct_s_64},
	{"slct", "f32", PTX_ANY16, "TTT4", slct_f_16},
	{"slct", "f32", PTX_ANY32, "TTT4", slct_f_32},
	{"slct", "f32", PTX_ANY64, "TTT4", slct_f_64},
};
/* clang-format on */

const struct ptx_rows ptx_rows_select = PTX_ROWS(rows);
