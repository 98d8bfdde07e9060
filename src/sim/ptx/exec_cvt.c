/* Conversions between types. */
#include <math.h>
#include <string.h>

#include "exec.h"
#include "half.h"

static uint64_t bits_read(const void *slot, unsigned int lane,
			  unsigned int bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, (const char *)slot + (size_t)lane * bytes, bytes);
	return bits;
}

static void bits_write(void *slot, unsigned int lane, unsigned int bytes,
		       uint64_t bits)
{
	memcpy((char *)slot + (size_t)lane * bytes, &bits, bytes);
}

static int64_t sign_extend(uint64_t bits, size_t bytes)
{
	unsigned int shift = 64 - 8 * (unsigned int)bytes;

	return (int64_t)(bits << shift) >> shift;
}

static double real_read(uint64_t bits, enum ptx_type type)
{
	uint32_t low = (uint32_t)bits;
	double real;
	float single;

	switch (type) {
	case PTX_F16:
		return ptx_half_to_real((uint16_t)bits);
	case PTX_BF16:
		return ptx_brain_to_real((uint16_t)bits);
	case PTX_F32:
		memcpy(&single, &low, sizeof(single));
		return single;
	default:
		memcpy(&real, &bits, sizeof(real));
		return real;
	}
}

/* To single precision in the direction of a mode. */
static float single_from(double real, unsigned int mode)
{
	float near = (float)real;

	if (mode == PTX_MODE_NEAREST || isnan(real) || near == real)
		return near;
	if (mode == PTX_MODE_ZERO)
		mode = real > 0 ? PTX_MODE_DOWN : PTX_MODE_UP;
	if (mode == PTX_MODE_DOWN)
		return near > real ? nextafterf(near, -INFINITY) : near;
	return near < real ? nextafterf(near, INFINITY) : near;
}

static uint64_t real_write(double real, const struct ptx_op *op)
{
	unsigned int mode = op->mode & PTX_MODE_ROUND;
	uint64_t bits = 0;
	float single;

	if (op->mode & PTX_MODE_SATURATE)
		real = real > 0 ? real < 1 ? real : 1 : 0;
	switch (op->type) {
	case PTX_F16:
		return ptx_half_from_real(real, mode);
	case PTX_BF16:
		return ptx_brain_from_real(real, mode);
	case PTX_F32:
		single = single_from(real, mode);
		if (op->mode & PTX_MODE_FLUSH &&
		    fpclassify(single) == FP_SUBNORMAL)
			single = copysignf(0, single);
		memcpy(&bits, &single, sizeof(single));
		return bits;
	default:
		memcpy(&bits, &real, sizeof(real));
		return bits;
	}
}

static double to_whole(double real, unsigned int mode)
{
	switch (mode) {
	case PTX_MODE_NEAREST:
		return rint(real);
	case PTX_MODE_ZERO:
		return trunc(real);
	case PTX_MODE_DOWN:
		return floor(real);
	default:
		return ceil(real);
	}
}

/* The nearest number that the type has. */
static uint64_t whole_from(double real, enum ptx_type from, enum ptx_type type)
{
	unsigned int bits = 8 * (unsigned int)ptx_type_bytes(type);
	bool is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
	double top = ldexp(1, (int)(is_signed ? bits - 1 : bits));

	if (isnan(real))
		return bits == 64 || from == PTX_F64 ? UINT64_C(1) << (bits - 1)
						     : 0;
	if (real >= top)
		return is_signed    ? (UINT64_C(1) << (bits - 1)) - 1
		       : bits == 64 ? UINT64_MAX
				    : (UINT64_C(1) << bits) - 1;
	if (is_signed)
		return real <= -top ? UINT64_MAX << (bits - 1)
				    : (uint64_t)(int64_t)real;
	return real <= 0 ? 0 : (uint64_t)real;
}

/* A whole number of 64 bits is rounded once: not by way of a double. */
static double whole_to_real(uint64_t bits, bool is_signed,
			    const struct ptx_op *op)
{
	unsigned int mode = op->mode & PTX_MODE_ROUND;
	bool negative = is_signed && (int64_t)bits < 0;
	uint64_t size = negative ? -bits : bits;
	int shift = size ? 64 - __builtin_clzll(size) : 0;
	int keep = op->type == PTX_F64   ? 53
		   : op->type == PTX_F32 ? 24
		   : op->type == PTX_F16 ? 11
					 : 8;

	shift -= keep;
	if (shift > 0) {
		uint64_t rest = size & ((UINT64_C(1) << shift) - 1);
		uint64_t half = UINT64_C(1) << (shift - 1);
		bool up = mode == PTX_MODE_NEAREST
				  ? rest > half ||
					    (rest == half && size >> shift & 1)
				  : rest && mode == (negative ? PTX_MODE_DOWN
							      : PTX_MODE_UP);
		double real = ldexp((double)((size >> shift) + up), shift);

		return negative ? -real : real;
	}
	return negative ? -(double)size : (double)size;
}

static uint64_t clamp(uint64_t bits, bool from_signed, enum ptx_type to)
{
	unsigned int width = 8 * (unsigned int)ptx_type_bytes(to);
	bool negative = from_signed && (int64_t)bits < 0;
	uint64_t most;

	if (ptx_type_class(to) == PTX_CLASS_SIGNED) {
		most = (UINT64_C(1) << (width - 1)) - 1;
		if (negative)
			return (int64_t)bits < -(int64_t)most - 1 ? ~most
								  : bits;
	} else {
		most = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
		if (negative)
			return 0;
	}
	return bits > most ? most : bits;
}

/* A result narrower than its register is extended as its type says. */
static uint64_t extend(uint64_t bits, enum ptx_type type)
{
	size_t bytes = ptx_type_bytes(type);

	if (bytes == 8)
		return bits;
	if (ptx_type_class(type) == PTX_CLASS_SIGNED)
		return (uint64_t)sign_extend(bits, bytes);
	return bits & ((UINT64_C(1) << 8 * bytes) - 1);
}

static uint64_t convert(uint64_t bits, const struct ptx_op *op)
{
	enum ptx_type to = op->type, from = op->from_type;
	bool is_signed = ptx_type_class(from) == PTX_CLASS_SIGNED;
	bool from_real = ptx_type_class(from) == PTX_CLASS_FLOAT;
	bool to_real = ptx_type_class(to) == PTX_CLASS_FLOAT;
	double real;

	if (!from_real) {
		bits = extend(bits, from);
		if (to_real)
			return real_write(whole_to_real(bits, is_signed, op),
					  op);
		if (op->mode & PTX_MODE_SATURATE)
			bits = clamp(bits, is_signed, to);
		return extend(bits, to);
	}
	real = real_read(bits, from);
	if (op->mode & PTX_MODE_FLUSH && from == PTX_F32 &&
	    fpclassify((float)real) == FP_SUBNORMAL)
		real = copysign(0, real);
	if (op->target)
		real = to_whole(real, op->target - 1);
	return to_real ? real_write(real, op)
		       : extend(whole_from(real, from, to), to);
}

/* The usual ones, without a choice for each lane: the number is the low part of
 * a register. */
/* clang-format off */
#define HOW(to, from, bytes) (PTX_##to << 16 | PTX_##from << 8 | (bytes))
#define QUICK(to, slot, from) \
	do { \
		to *d = ptx_slot(warp, op->d); \
		const slot *a = ptx_slot(warp, op->a); \
		\
		PTX_FOR_LANES(mask, { d[i] = (to)(from)a[i]; }); \
		return true; \
	} while (0)
/* clang-format on */

PTX_WIDE static bool convert_quickly(struct ptx_warp *warp,
				     const struct ptx_op *op, uint32_t mask)
{
	if (op->mode || op->bytes != ptx_type_bytes(op->type))
		return false;
	switch ((unsigned int)op->type << 16 |
		(unsigned int)op->from_type << 8 | op->count) {
	case HOW(U64, U32, 4):
	case HOW(S64, U32, 4):
		QUICK(uint64_t, uint32_t, uint32_t);
	case HOW(U64, U32, 8):
	case HOW(S64, U32, 8):
		QUICK(uint64_t, uint64_t, uint32_t);
	case HOW(S64, S32, 4):
	case HOW(U64, S32, 4):
		QUICK(int64_t, int32_t, int32_t);
	case HOW(S64, S32, 8):
	case HOW(U64, S32, 8):
		QUICK(int64_t, int64_t, int32_t);
	case HOW(U32, U64, 8):
	case HOW(U32, S64, 8):
	case HOW(S32, U64, 8):
	case HOW(S32, S64, 8):
		QUICK(uint32_t, uint64_t, uint32_t);
	case HOW(U32, U16, 2):
	case HOW(S32, U16, 2):
		QUICK(uint32_t, uint16_t, uint16_t);
	case HOW(U32, U8, 2):
	case HOW(S32, U8, 2):
		QUICK(uint32_t, uint16_t, uint8_t);
	case HOW(U32, U8, 4):
	case HOW(S32, U8, 4):
		QUICK(uint32_t, uint32_t, uint8_t);
	case HOW(S32, S16, 2):
	case HOW(U32, S16, 2):
		QUICK(int32_t, int16_t, int16_t);
	case HOW(U16, U32, 4):
	case HOW(S16, S32, 4):
		QUICK(uint16_t, uint32_t, uint16_t);
	case HOW(F32, S32, 4):
		QUICK(float, int32_t, int32_t);
	case HOW(F32, U32, 4):
		QUICK(float, uint32_t, uint32_t);
	case HOW(F32, U16, 2):
		QUICK(float, uint16_t, uint16_t);
	case HOW(F64, S32, 4):
		QUICK(double, int32_t, int32_t);
	case HOW(F64, U32, 4):
		QUICK(double, uint32_t, uint32_t);
	case HOW(F64, F32, 4):
		QUICK(double, float, float);
	case HOW(F32, F64, 8):
		QUICK(float, double, double);
	default:
		return false;
	}
}

void ptx_exec_cvt(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	void *d = ptx_slot(warp, op->d);
	const void *a = ptx_slot(warp, op->a);

	if (!op->target && convert_quickly(warp, op, mask))
		return;
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		bits_write(d, i, op->bytes,
			   convert(bits_read(a, i, op->count), op));
	}
}

void ptx_exec_cvt_pair(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask)
{
	struct ptx_op one = *op;
	uint32_t *d = ptx_slot(warp, op->d);
	const float *a = ptx_slot(warp, op->a), *b = ptx_slot(warp, op->b);
	bool relu = op->target;

	one.type = op->type == PTX_F16X2 ? PTX_F16 : PTX_BF16;
	PTX_FOR_LANES(mask, {
		float x = relu && a[i] < 0 ? 0 : a[i];
		float y = relu && b[i] < 0 ? 0 : b[i];

		d[i] = (uint32_t)(real_write(x, &one) << 16 |
				  real_write(y, &one));
	});
}
