/* Fetches from texture objects, and reads and writes of surface objects, for
 * host functions; a part of kernel.hpp. Points and linear filters, all address
 * modes; no mipmaps, cube maps or gathers, which do not compile. */
#ifndef MNM_SIM_KERNEL_TEXTURE_HPP
#define MNM_SIM_KERNEL_TEXTURE_HPP

#include <math.h>
#include <string.h>

#include <surface_types.h>
#include <texture_types.h>
#include <vector_types.h>

#include "kernel_table.h"

namespace sim
{

/* The CUarray_format of a channel. */
enum {
	FORMAT_U8 = 0x01,
	FORMAT_U16 = 0x02,
	FORMAT_U32 = 0x03,
	FORMAT_S8 = 0x08,
	FORMAT_S16 = 0x09,
	FORMAT_S32 = 0x0a,
	FORMAT_HALF = 0x10,
	FORMAT_FLOAT = 0x20,
};

/* CU_TRSF_* of a texture's flags. */
enum { READ_AS_INTEGER = 1, NORMALIZED = 2 };

/* What an element consists of. */
template <class T> struct element {
	using channel = T;
	static constexpr unsigned count = 1;
};

#define SIM_ELEMENT(type, of, number) \
	template <> struct element<type> { \
		using channel = of; \
		static constexpr unsigned count = number; \
	};
#define SIM_ELEMENTS(type, of) \
	SIM_ELEMENT(type##1, of, 1) \
	SIM_ELEMENT(type##2, of, 2) \
	SIM_ELEMENT(type##4, of, 4)
SIM_ELEMENTS(char, signed char)
SIM_ELEMENTS(uchar, unsigned char)
SIM_ELEMENTS(short, short)
SIM_ELEMENTS(ushort, unsigned short)
SIM_ELEMENTS(int, int)
SIM_ELEMENTS(uint, unsigned int)
SIM_ELEMENTS(float, float)
#undef SIM_ELEMENTS
#undef SIM_ELEMENT

template <class T> double read_as(const char *at)
{
	T value;

	memcpy(&value, at, sizeof(value));
	return double(value);
}

inline double read_half(const char *at)
{
	unsigned short bits;
	int exponent;
	double value;

	memcpy(&bits, at, sizeof(bits));
	exponent = bits >> 10 & 31;
	value = bits & 1023;
	if (exponent == 31)
		value = value ? NAN : INFINITY;
	else
		value = exponent ? ldexp(value + 1024, exponent - 25)
				 : ldexp(value, -24);
	return bits >> 15 ? -value : value;
}

inline unsigned channel_bytes(unsigned format)
{
	switch (format) {
	case FORMAT_U8:
	case FORMAT_S8:
		return 1;
	case FORMAT_U16:
	case FORMAT_S16:
	case FORMAT_HALF:
		return 2;
	default:
		return 4;
	}
}

/* A channel's value; integers of 8 and 16 bits as a part of 1, if asked. */
inline double channel_read(const sim_texture *t, const char *at)
{
	bool whole = t->flags & READ_AS_INTEGER;

	switch (t->format) {
	case FORMAT_U8:
		return read_as<unsigned char>(at) / (whole ? 1 : 255);
	case FORMAT_S8:
		return fmax(read_as<signed char>(at) / (whole ? 1 : 127),
			    whole ? -128 : -1);
	case FORMAT_U16:
		return read_as<unsigned short>(at) / (whole ? 1 : 65535);
	case FORMAT_S16:
		return fmax(read_as<short>(at) / (whole ? 1 : 32767),
			    whole ? -32768 : -1);
	case FORMAT_U32:
		return read_as<unsigned int>(at);
	case FORMAT_S32:
		return read_as<int>(at);
	case FORMAT_HALF:
		return read_half(at);
	default:
		return read_as<float>(at);
	}
}

/* Brings a position into 0 to size - 1 as the address mode says. Returns false
 * if the border is there. */
inline bool place(const sim_texture *t, unsigned dimension, long *at,
		  size_t size)
{
	long count = size ? long(size) : 1;
	long inside = *at < 0 ? 0 : *at >= count ? count - 1 : *at;
	bool bends = t->flags & NORMALIZED;

	switch (t->modes[dimension]) {
	case cudaAddressModeBorder:
		return inside == *at;
	case cudaAddressModeWrap:
		*at = bends ? (*at % count + count) % count : inside;
		return true;
	case cudaAddressModeMirror:
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

inline double texel(const sim_texture *t, long x, long y, long z,
		    unsigned channel)
{
	unsigned bytes = channel_bytes(t->format);

	if (channel >= t->channels)
		return 0;
	if (!place(t, 0, &x, t->width) || !place(t, 1, &y, t->height) ||
	    !place(t, 2, &z, t->depth))
		return t->border[channel];
	return channel_read(
		t, t->base + size_t(z) * t->slice + size_t(y) * t->pitch +
			   (size_t(x) * t->channels + channel) * bytes);
}

/* A coordinate in elements, and how far it is from the one before it. */
struct spot {
	long at;
	double part; /* 0 without a filter */
};

inline spot spot_of(const sim_texture *t, double coordinate, size_t size,
		    bool filtered)
{
	if (t->flags & NORMALIZED)
		coordinate *= double(size);
	if (!filtered)
		return {long(floor(coordinate)), 0};
	coordinate -= 0.5;
	/* Devices have 8 bits of it. */
	return {long(floor(coordinate)),
		floor((coordinate - floor(coordinate)) * 256 + 0.5) / 256};
}

inline double filter(const sim_texture *t, spot x, spot y, spot z,
		     unsigned channel)
{
	double sum = 0;

	for (int i = 0; i < 8; i++) {
		double part = (i & 1 ? x.part : 1 - x.part) *
			      (i & 2 ? y.part : 1 - y.part) *
			      (i & 4 ? z.part : 1 - z.part);

		if (part > 0)
			sum += part * texel(t, x.at + (i & 1),
					    y.at + (i >> 1 & 1),
					    z.at + (i >> 2 & 1), channel);
	}
	return sum;
}

template <class T> const sim_texture *texture(T object)
{
	return reinterpret_cast<const sim_texture *>(object);
}

template <class T>
T fetch(const sim_texture *t, double x, double y, double z, bool layered)
{
	using channel = typename element<T>::channel;
	bool linear = t->is_linear;
	channel values[element<T>::count];
	T result;

	for (unsigned c = 0; c < element<T>::count; c++)
		values[c] = channel(filter(
			t, spot_of(t, x, t->width, linear),
			t->height ? spot_of(t, y, t->height, linear)
				  : spot{0, 0},
			t->depth && !layered ? spot_of(t, z, t->depth, linear)
					     : spot{long(z), 0},
			c));
	memcpy(&result, values, sizeof(result));
	return result;
}

/* Where a surface has an element; NULL outside. x is in bytes. */
inline char *surface_at(const sim_texture *t, long x, long y, long z,
			size_t size)
{
	size_t row = t->width * t->channels * channel_bytes(t->format);

	if (x < 0 || y < 0 || z < 0 || size_t(x) + size > row ||
	    size_t(y) >= (t->height ? t->height : 1) ||
	    size_t(z) >= (t->depth ? t->depth : 1))
		return nullptr;
	return t->base + size_t(z) * t->slice + size_t(y) * t->pitch +
	       size_t(x);
}

template <class T>
T surface_read(cudaSurfaceObject_t object, long x, long y, long z)
{
	const char *at = surface_at(texture(object), x, y, z, sizeof(T));
	T value;

	memset(&value, 0, sizeof(value));
	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

template <class T>
void surface_write(const T &value, cudaSurfaceObject_t object, long x, long y,
		   long z)
{
	char *at = surface_at(texture(object), x, y, z, sizeof(T));

	if (at)
		memcpy(at, &value, sizeof(value));
}

} // namespace sim

template <class T> T tex1Dfetch(cudaTextureObject_t object, int x)
{
	const sim_texture *t = sim::texture(object);
	sim_texture point = *t;

	/* Neither filters nor modes: outside is 0. */
	point.is_linear = 0;
	point.flags &= ~unsigned(sim::NORMALIZED);
	point.modes[0] = cudaAddressModeBorder;
	memset(point.border, 0, sizeof(point.border));
	return sim::fetch<T>(&point, x, 0, 0, false);
}

template <class T> T tex1D(cudaTextureObject_t object, float x)
{
	return sim::fetch<T>(sim::texture(object), x, 0, 0, false);
}

template <class T> T tex2D(cudaTextureObject_t object, float x, float y)
{
	return sim::fetch<T>(sim::texture(object), x, y, 0, false);
}

template <class T>
T tex3D(cudaTextureObject_t object, float x, float y, float z)
{
	return sim::fetch<T>(sim::texture(object), x, y, z, false);
}

template <class T> T tex1DLayered(cudaTextureObject_t object, float x, int z)
{
	return sim::fetch<T>(sim::texture(object), x, 0, z, true);
}

template <class T>
T tex2DLayered(cudaTextureObject_t object, float x, float y, int z)
{
	return sim::fetch<T>(sim::texture(object), x, y, z, true);
}

template <class T>
T surf1Dread(cudaSurfaceObject_t object, int x,
	     cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
	return sim::surface_read<T>(object, x, 0, 0);
}

template <class T>
T surf2Dread(cudaSurfaceObject_t object, int x, int y,
	     cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
	return sim::surface_read<T>(object, x, y, 0);
}

template <class T>
T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z,
	     cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
	return sim::surface_read<T>(object, x, y, z);
}

template <class T>
void surf1Dwrite(T value, cudaSurfaceObject_t object, int x,
		 cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
	sim::surface_write(value, object, x, 0, 0);
}

template <class T>
void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y,
		 cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
	sim::surface_write(value, object, x, y, 0);
}

template <class T>
void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z,
		 cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
	sim::surface_write(value, object, x, y, z);
}

#endif
