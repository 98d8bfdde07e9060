/* Arithmetic of single and double precision. The approximations are libm's
 * results, and so are nearer to the true ones than a GPU's. */
#include <math.h>

#include "rows.h"

/* clang-format off */
#define BOTH(M) M(f32, float, f) M(f64, double, )

/* The smaller and the larger: a number rather than a NaN, -0 below 0. */
#define EXTREMES(t, type, s) \
	static inline type less_##t(type x, type y) \
	{ \
		if (x != x) \
			return y != y ? (type)NAN : y; \
		if (y != y) \
			return x; \
		if (x == y) \
			return signbit(x) ? x : y; \
		return x < y ? x : y; \
	} \
	static inline type more_##t(type x, type y) \
	{ \
		if (x != x) \
			return y != y ? (type)NAN : y; \
		if (y != y) \
			return x; \
		if (x == y) \
			return signbit(x) ? y : x; \
		return x > y ? x : y; \
	}
BOTH(EXTREMES)

#define ARITHMETIC(t, type, s) \
	PTX_QUICK_BINARY(add_##t, type, type, type, x + y) \
	PTX_QUICK_BINARY(sub_##t, type, type, type, x - y) \
	PTX_QUICK_BINARY(mul_##t, type, type, type, x * y) \
	PTX_BINARY(div_##t, type, type, type, x / y) \
	PTX_TERNARY(fma_called_##t, type, type, type, type, fma##s(x, y, z)) \
	PTX_UNARY(rcp_##t, type, 1 / x) \
	PTX_UNARY(sqrt_##t, type, sqrt##s(x)) \
	PTX_UNARY(rsqrt_##t, type, 1 / sqrt((double)x)) \
	PTX_QUICK_UNARY(abs_##t, type, fabs##s(x)) \
	PTX_QUICK_UNARY(neg_##t, type, -x) \
	PTX_BINARY(min_##t, type, type, type, less_##t(x, y)) \
	PTX_BINARY(max_##t, type, type, type, more_##t(x, y)) \
	PTX_BINARY(copysign_##t, type, type, type, copysign##s(y, x))
BOTH(ARITHMETIC)

/* Many processors have an instruction for it, which the library would be called
 * for. */
#ifdef __x86_64__
#define FUSED(t, type, s) \
	PTX_TERNARY_BY(PTX_TO_MANY, __attribute__((target("avx2,fma"))), \
		       fma_fused_##t, type, type, type, type, \
		       __builtin_fma##s(x, y, z)) \
	static void fma_##t(struct ptx_warp *warp, const struct ptx_op *op, \
			    uint32_t mask) \
	{ \
		if (__builtin_cpu_supports("fma") && \
		    __builtin_cpu_supports("avx2")) \
			fma_fused_##t(warp, op, mask); \
		else \
			fma_called_##t(warp, op, mask); \
	}
BOTH(FUSED)
#else
#define fma_f32 fma_called_f32
#define fma_f64 fma_called_f64
#endif

PTX_BINARY(min_nan, float, float, float,
	   x != x || y != y ? NAN : less_f32(x, y))
PTX_BINARY(max_nan, float, float, float,
	   x != x || y != y ? NAN : more_f32(x, y))
PTX_TERNARY(min3, float, float, float, float, less_f32(less_f32(x, y), z))
PTX_TERNARY(max3, float, float, float, float, more_f32(more_f32(x, y), z))
PTX_UNARY(sin_f32, float, sinf(x))
PTX_UNARY(cos_f32, float, cosf(x))
PTX_UNARY(lg2_f32, float, log2f(x))
PTX_UNARY(ex2_f32, float, exp2f(x))
PTX_UNARY(tanh_f32, float, tanhf(x))

#define ROWS(name, shape, run) \
	{name, NULL, PTX_IS(F32), shape, run##_f32}, \
	{name, NULL, PTX_IS(F64), shape, run##_f64}
#define ROW(name, form, shape, run) {name, form, PTX_IS(F32), shape, run}

static const struct ptx_row rows[] = {
	ROWS("add", "TTT", add), ROWS("sub", "TTT", sub),
	ROWS("mul", "TTT", mul), ROWS("div", "TTT", div),
	ROWS("fma", "TTTT", fma), ROWS("mad", "TTTT", fma),
	ROWS("rcp", "TT", rcp), ROWS("sqrt", "TT", sqrt),
	ROWS("rsqrt", "TT", rsqrt), ROWS("abs", "TT", abs),
	ROWS("neg", "TT", neg),
	ROW("min", "NaN", "TTT", min_nan), ROW("max", "NaN", "TTT", max_nan),
	ROWS("min", "TTT", min), ROWS("max", "TTT", max),
	ROW("min", NULL, "TTTT", min3), ROW("max", NULL, "TTTT", max3),
	ROWS("copysign", "TTT", copysign),
	ROW("sin", "approx", "TT", sin_f32), ROW("cos", "approx", "TT", cos_f32),
	ROW("lg2", "approx", "TT", lg2_f32), ROW("ex2", "approx", "TT", ex2_f32),
	ROW("tanh", "approx", "TT", tanh_f32),
};
/* clang-format on */

const struct ptx_rows ptx_rows_float = PTX_ROWS(rows);
