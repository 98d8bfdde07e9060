/* What a texture or surface object shows, element by element: for kernels that
 * are host functions (kernel_texture.hpp) and for those that the driver
 * interprets. Points and linear filters, and all address modes. */
#ifndef MNM_SIM_KERNEL_TEXTURE_H
#define MNM_SIM_KERNEL_TEXTURE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernel_table.h"

/* The CUarray_format of a channel. */
enum {
	SIM_FORMAT_U8 = 0x01,
	SIM_FORMAT_U16 = 0x02,
	SIM_FORMAT_U32 = 0x03,
	SIM_FORMAT_S8 = 0x08,
	SIM_FORMAT_S16 = 0x09,
	SIM_FORMAT_S32 = 0x0a,
	SIM_FORMAT_HALF = 0x10,
	SIM_FORMAT_FLOAT = 0x20,
};

/* CU_TRSF_* of a texture's flags. */
enum { SIM_READ_AS_INTEGER = 1, SIM_NORMALIZED = 2 };

/* CU_TR_ADDRESS_MODE_*; the rest of them holds the last element. */
enum {
	SIM_ADDRESS_WRAP = 0,
	SIM_ADDRESS_MIRROR = 2,
	SIM_ADDRESS_BORDER = 3,
};

static inline double sim_half_read(const char *at)
{
	unsigned short bits;
	int exponent;
	double value;

	memcpy(&bits, at, sizeof(bits));
	exponent = bits >> 10 & 31;
	value = bits & 1023;
	if (exponent == 31)
		value = value > 0 ? NAN : INFINITY;
	else
		value = exponent ? ldexp(value + 1024, exponent - 25)
				 : ldexp(value, -24);
	return bits >> 15 ? -value : value;
}

static inline unsigned sim_channel_bytes(unsigned format)
{
	switch (format) {
	case SIM_FORMAT_U8:
	case SIM_FORMAT_S8:
		return 1;
	case SIM_FORMAT_U16:
	case SIM_FORMAT_S16:
	case SIM_FORMAT_HALF:
		return 2;
	default:
		return 4;
	}
}

/* A channel's value; integers of 8 and 16 bits as a part of 1, if asked. */
static inline double sim_channel_read(const struct sim_texture *t,
				      const char *at)
{
	bool whole = t->flags & SIM_READ_AS_INTEGER;
	unsigned char u8;
	signed char s8;
	unsigned short u16;
	short s16;
	unsigned u32;
	int s32;
	float single;

	switch (t->format) {
	case SIM_FORMAT_U8:
		memcpy(&u8, at, sizeof(u8));
		return (double)u8 / (whole ? 1 : 255);
	case SIM_FORMAT_S8:
		memcpy(&s8, at, sizeof(s8));
		return fmax((double)s8 / (whole ? 1 : 127), whole ? -128 : -1);
	case SIM_FORMAT_U16:
		memcpy(&u16, at, sizeof(u16));
		return (double)u16 / (whole ? 1 : 65535);
	case SIM_FORMAT_S16:
		memcpy(&s16, at, sizeof(s16));
		return fmax((double)s16 / (whole ? 1 : 32767),
			    whole ? -32768 : -1);
	case SIM_FORMAT_U32:
		memcpy(&u32, at, sizeof(u32));
		return (double)u32;
	case SIM_FORMAT_S32:
		memcpy(&s32, at, sizeof(s32));
		return (double)s32;
	case SIM_FORMAT_HALF:
		return sim_half_read(at);
	default:
		memcpy(&single, at, sizeof(single));
		return (double)single;
	}
}

/* Brings a position into 0 to size - 1 as the address mode says. Returns false
 * if the border is there. */
static inline bool sim_place(const struct sim_texture *t, unsigned dimension,
			     long *at, size_t size)
{
	long count = size ? (long)size : 1;
	long inside = *at < 0 ? 0 : *at >= count ? count - 1 : *at;
	bool bends = t->flags & SIM_NORMALIZED;

	switch (t->modes[dimension]) {
	case SIM_ADDRESS_BORDER:
		return inside == *at;
	case SIM_ADDRESS_WRAP:
		*at = bends ? (*at % count + count) % count : inside;
		return true;
	case SIM_ADDRESS_MIRROR:
		if (bends) {
			inside = (*at % (2 * count) + 2 * count) % (2 * count);
			inside = inside < count ? inside
						: 2 * count - 1 - inside;
		}
		*at = inside;
		return true;
	default:
		*at = inside;
		return true;
	}
}

/* -0 changes no number that is added to it, not even -0. */
static inline void sim_sums_begin(const struct sim_texture *t, double values[4])
{
	for (unsigned c = 0; c < 4; c++)
		values[c] = c < t->channels ? -0.0 : 0.0;
}

/* Adds a part of an element to each of its channels. */
static inline void sim_texel(const struct sim_texture *t, long x, long y,
			     long z, double part, double values[4])
{
	unsigned bytes = sim_channel_bytes(t->format);
	unsigned count = t->channels < 4 ? t->channels : 4;
	const char *at;

	/* Mostly there are fewer dimensions; 0 is in all sizes and modes. */
	if (!sim_place(t, 0, &x, t->width) ||
	    (y && !sim_place(t, 1, &y, t->height)) ||
	    (z && !sim_place(t, 2, &z, t->depth))) {
		for (unsigned c = 0; c < count; c++)
			values[c] += part * (double)t->border[c];
		return;
	}
	at = t->base + (size_t)z * t->slice + (size_t)y * t->pitch +
	     (size_t)x * t->channels * bytes;
	for (unsigned c = 0; c < count; c++)
		values[c] += part * sim_channel_read(t, at + c * bytes);
}

/* A coordinate in elements, and how far it is from the one before it. */
struct sim_spot {
	long at;
	double part; /* 0 without a filter */
};

/* Coordinates beyond any texture are all the same, and fit a long. */
static inline long sim_whole(double coordinate)
{
	long whole;

	if (!(fabs(coordinate) < 0x1p40))
		return isnan(coordinate) ? 0
		       : coordinate > 0  ? 1L << 40
					 : -(1L << 40);
	whole = (long)coordinate;
	return whole - ((double)whole > coordinate);
}

static inline struct sim_spot sim_spot_of(const struct sim_texture *t,
					  double coordinate, size_t size)
{
	struct sim_spot spot = {0, 0};

	if (t->flags & SIM_NORMALIZED)
		coordinate *= (double)size;
	if (t->is_linear)
		coordinate -= 0.5;
	spot.at = sim_whole(coordinate);
	/* Devices have 8 bits of it. */
	if (t->is_linear && fabs(coordinate) < 0x1p40)
		spot.part =
			(double)(long)((coordinate - (double)spot.at) * 256 +
				       0.5) /
			256;
	return spot;
}

/* What is at a place, channel by channel. In layers z is the layer. */
static inline void sim_fetch(const struct sim_texture *t, double x, double y,
			     double z, bool layered, double values[4])
{
	struct sim_spot sx = sim_spot_of(t, x, t->width);
	struct sim_spot sy = {0, 0};
	struct sim_spot sz;
	int corners;

	if (t->height)
		sy = sim_spot_of(t, y, t->height);
	if (t->depth && !layered)
		sz = sim_spot_of(t, z, t->depth);
	else
		sz = (struct sim_spot){sim_whole(z), 0};
	sim_sums_begin(t, values);
	corners = !t->is_linear ? 1 : sz.part > 0 ? 8 : sy.part > 0 ? 4 : 2;
	for (int i = 0; i < corners; i++) {
		double part = (i & 1 ? sx.part : 1 - sx.part) *
			      (i & 2 ? sy.part : 1 - sy.part) *
			      (i & 4 ? sz.part : 1 - sz.part);

		if (part > 0)
			sim_texel(t, sx.at + (i & 1), sy.at + (i >> 1 & 1),
				  sz.at + (i >> 2 & 1), part, values);
	}
}

/* The same for whole numbers: no filters and no modes, outside is 0. */
static inline void sim_fetch_whole(const struct sim_texture *t, long x, long y,
				   long z, double values[4])
{
	struct sim_texture point = *t;

	point.is_linear = 0;
	point.flags &= ~(unsigned)SIM_NORMALIZED;
	for (int i = 0; i < 3; i++)
		point.modes[i] = SIM_ADDRESS_BORDER;
	memset(point.border, 0, sizeof(point.border));
	sim_sums_begin(t, values);
	sim_texel(&point, x, y, z, 1, values);
}

/* Where a surface has an element; NULL outside. x is in bytes. */
static inline char *sim_surface_at(const struct sim_texture *t, long x, long y,
				   long z, size_t size)
{
	size_t row = t->width * t->channels * sim_channel_bytes(t->format);

	if (x < 0 || y < 0 || z < 0 || (size_t)x + size > row ||
	    (size_t)y >= (t->height ? t->height : 1) ||
	    (size_t)z >= (t->depth ? t->depth : 1))
		return NULL;
	return t->base + (size_t)z * t->slice + (size_t)y * t->pitch +
	       (size_t)x;
}

#endif
