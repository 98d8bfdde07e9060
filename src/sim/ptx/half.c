#include "half.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "form.h"

double ptx_half_to_real(uint16_t half)
{
	unsigned int exponent = half >> 10 & 31, fraction = half & 1023;
	uint64_t bits = (uint64_t)(exponent + 1023 - 15) << 52 |
			(uint64_t)fraction << 42;
	double real;

	if (exponent == 31)
		real = fraction ? NAN : INFINITY;
	else if (exponent)
		memcpy(&real, &bits, sizeof(real));
	else
		real = fraction * 0x1p-24;
	return half & 0x8000 ? -real : real;
}

double ptx_brain_to_real(uint16_t brain)
{
	uint32_t bits = (uint32_t)brain << 16;
	float real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

/* A whole number from a positive one, in the direction of the mode. */
static double whole(double real, bool negative, unsigned int mode)
{
	double low = floor(real), rest = real - low;
	bool up;

	if (mode == PTX_MODE_NEAREST)
		up = rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0);
	else
		up = rest > 0 &&
		     mode == (negative ? PTX_MODE_DOWN : PTX_MODE_UP);
	return low + up;
}

/* A format with `fraction` bits behind the point, and exponents of normal
 * numbers from `least` to `most`. */
static uint16_t pack(double real, unsigned int mode, int fraction, int least,
		     int most)
{
	bool negative = signbit(real) != 0;
	uint16_t sign = negative ? 0x8000 : 0;
	uint16_t infinite = (uint16_t)((most - least + 2) << fraction);
	double size = fabs(real), units;
	int exponent;

	if (isnan(real))
		return PTX_HALF_NAN;
	if (isinf(real))
		return sign | infinite;
	if (size == 0)
		return sign;
	exponent = ilogb(size);
	if (exponent < least)
		exponent = least;
	units = whole(ldexp(size, fraction - exponent), negative, mode);
	if (units >= ldexp(2, fraction)) {
		units /= 2;
		exponent++;
	}
	if (exponent > most) {
		bool up = mode == PTX_MODE_NEAREST ||
			  mode == (negative ? PTX_MODE_DOWN : PTX_MODE_UP);

		return sign | (uint16_t)(infinite - !up);
	}
	/* The first bit of a normal number raises the exponent's field to 1. */
	return (uint16_t)(sign |
			  (((exponent - least) << fraction) + (int)units));
}

uint16_t ptx_half_from_real(double real, unsigned int mode)
{
	return pack(real, mode, 10, -14, 15);
}

uint16_t ptx_brain_from_real(double real, unsigned int mode)
{
	return pack(real, mode, 7, -126, 127);
}
