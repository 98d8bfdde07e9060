/* Fetches from texture objects, and reads and writes of surface objects, for
 * host functions; a part of kernel.hpp. Points and linear filters, all address
 * modes; no mipmaps, cube maps or gathers, which do not compile. */
#ifndef MNM_SIM_KERNEL_TEXTURE_HPP
#define MNM_SIM_KERNEL_TEXTURE_HPP

#include <string.h>

#include <surface_types.h>
#include <texture_types.h>
#include <vector_types.h>

#include "kernel_texture.h"

namespace sim
{

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

template <class T> const sim_texture *texture(T object)
{
	return reinterpret_cast<const sim_texture *>(object);
}

template <class T> T element_of(const double *values)
{
	using channel = typename element<T>::channel;
	channel channels[element<T>::count];
	T result;

	for (unsigned c = 0; c < element<T>::count; c++)
		channels[c] = channel(values[c]);
	memcpy(&result, channels, sizeof(result));
	return result;
}

template <class T>
T fetch(cudaTextureObject_t object, double x, double y, double z, bool layered)
{
	double values[4];

	sim_fetch(texture(object), x, y, z, layered, values);
	return element_of<T>(values);
}

template <class T>
T surface_read(cudaSurfaceObject_t object, long x, long y, long z)
{
	const char *at = sim_surface_at(texture(object), x, y, z, sizeof(T));
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
	char *at = sim_surface_at(texture(object), x, y, z, sizeof(T));

	if (at)
		memcpy(at, &value, sizeof(value));
}

} // namespace sim

template <class T> T tex1Dfetch(cudaTextureObject_t object, int x)
{
	double values[4];

	sim_fetch_whole(sim::texture(object), x, 0, 0, values);
	return sim::element_of<T>(values);
}

template <class T> T tex1D(cudaTextureObject_t object, float x)
{
	return sim::fetch<T>(object, x, 0, 0, false);
}

template <class T> T tex2D(cudaTextureObject_t object, float x, float y)
{
	return sim::fetch<T>(object, x, y, 0, false);
}

template <class T>
T tex3D(cudaTextureObject_t object, float x, float y, float z)
{
	return sim::fetch<T>(object, x, y, z, false);
}

template <class T> T tex1DLayered(cudaTextureObject_t object, float x, int z)
{
	return sim::fetch<T>(object, x, 0, z, true);
}

template <class T>
T tex2DLayered(cudaTextureObject_t object, float x, float y, int z)
{
	return sim::fetch<T>(object, x, y, z, true);
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
