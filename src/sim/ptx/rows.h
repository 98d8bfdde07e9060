/* The plain instructions, one row for each name, form and types. */
#ifndef SIM_PTX_ROWS_H
#define SIM_PTX_ROWS_H

#include "form.h"

#define PTX_IS(type) (UINT32_C(1) << PTX_##type)
#define PTX_ANY16 \
	(PTX_IS(B16) | PTX_IS(U16) | PTX_IS(S16) | PTX_IS(F16) | PTX_IS(BF16))
#define PTX_ANY32 \
	(PTX_IS(B32) | PTX_IS(U32) | PTX_IS(S32) | PTX_IS(F32) | \
	 PTX_IS(F16X2) | PTX_IS(BF16X2))
#define PTX_ANY64 (PTX_IS(B64) | PTX_IS(U64) | PTX_IS(S64) | PTX_IS(F64))

struct ptx_row {
	const char *name;
	/* A modifier that the instruction needs to have; or NULL. Rows with
	 * one stand before those without. */
	const char *form;
	uint32_t types; /* PTX_IS() of the first type; 0: it has none */
	/* The operands' widths, in order: T of the type, W twice that, H half
	 * of it, 4 or 8 or 2 bytes, P a predicate, S the second type. */
	const char *shape;
	ptx_run_fn *run;
};

struct ptx_rows {
	const struct ptx_row *rows;
	size_t count;
};

/* Of the files exec_*.c. */
extern const struct ptx_rows ptx_rows_integer, ptx_rows_bits, ptx_rows_float,
	ptx_rows_half, ptx_rows_select;

#define PTX_ROWS(list) \
	{ \
		list, sizeof(list) / sizeof((list)[0]) \
	}

/* Does something with each lane `i` in mask that sets to[i], which is an
 * element of d. */
#define PTX_TO_SOME(type, mask, ...) \
	do { \
		type *to = d; \
\
		PTX_FOR_LANES(mask, __VA_ARGS__); \
	} while (0)
/* The same of what vectors can do: if some lanes are left out, it is quicker to
 * compute those as well, and not to keep them. */
#define PTX_TO_MANY(type, mask, ...) \
	do { \
		type made[PTX_LANES], *to = made; \
\
		if ((mask) == PTX_ALL_LANES || \
		    __builtin_popcount(mask) <= PTX_FEW) { \
			PTX_TO_SOME(type, mask, __VA_ARGS__); \
			break; \
		} \
		PTX_EACH_LANE(__VA_ARGS__); \
		PTX_EACH_LANE({ \
			type old = d[i], now = made[i]; \
\
			d[i] = ptx_lane_bits[i] & (mask) ? now : old; \
		}); \
	} while (0)
enum { PTX_FEW = 8 };

/* d = an expression in x, y and z, which are a, b and c. */
#define PTX_UNARY_BY(each, name, type, ...) \
	PTX_WIDE static void name(struct ptx_warp *warp, \
				  const struct ptx_op *op, uint32_t mask) \
	{ \
		type *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
\
		each(type, mask, { \
			type x = a[i]; \
			to[i] = (type)(__VA_ARGS__); \
		}); \
	}
#define PTX_BINARY_BY(each, name, type_d, type, type_b, ...) \
	PTX_WIDE static void name(struct ptx_warp *warp, \
				  const struct ptx_op *op, uint32_t mask) \
	{ \
		type_d *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const type_b *b = ptx_slot(warp, op->b); \
\
		each(type_d, mask, { \
			type x = a[i]; \
			type_b y = b[i]; \
			to[i] = (type_d)(__VA_ARGS__); \
		}); \
	}
#define PTX_TERNARY_BY(each, target, name, type_d, type, type_b, type_c, ...) \
	target static void name(struct ptx_warp *warp, \
				const struct ptx_op *op, uint32_t mask) \
	{ \
		type_d *d = ptx_slot(warp, op->d); \
		const type *a = ptx_slot(warp, op->a); \
		const type_b *b = ptx_slot(warp, op->b); \
		const type_c *c = ptx_slot(warp, op->c); \
\
		each(type_d, mask, { \
			type x = a[i]; \
			type_b y = b[i]; \
			type_c z = c[i]; \
			to[i] = (type_d)(__VA_ARGS__); \
		}); \
	}
#define PTX_UNARY(...)   PTX_UNARY_BY(PTX_TO_SOME, __VA_ARGS__)
#define PTX_BINARY(...)  PTX_BINARY_BY(PTX_TO_SOME, __VA_ARGS__)
#define PTX_TERNARY(...) PTX_TERNARY_BY(PTX_TO_SOME, PTX_WIDE, __VA_ARGS__)
/* The same of what vectors can do. */
#define PTX_QUICK_UNARY(...)  PTX_UNARY_BY(PTX_TO_MANY, __VA_ARGS__)
#define PTX_QUICK_BINARY(...) PTX_BINARY_BY(PTX_TO_MANY, __VA_ARGS__)
#define PTX_QUICK_TERNARY(...) \
	PTX_TERNARY_BY(PTX_TO_MANY, PTX_WIDE, __VA_ARGS__)

#endif
