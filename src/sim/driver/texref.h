/* Texture references, which compilers since CUDA 12 do not make any more. Those
 * that the program makes itself are kept and told; no module has any, and no
 * kernel fetches from one. All calls need the lock. */
#ifndef SIM_TEXREF_H
#define SIM_TEXREF_H

#include <stdbool.h>

#include <cuda.h>

enum { TEXREF_MAGIC = 0x74657872 };

struct texref {
	unsigned magic;      /* 0 once destroyed; the object is used again */
	struct texref *next; /* the next spare one */
	struct texref *made; /* the one made before: all stay reachable */
	CUdeviceptr addr;    /* at most one of these three is set */
	CUarray array;
	CUmipmappedArray many;
	CUarray_format format;
	int channels;
	CUDA_TEXTURE_DESC how;
};

/* The reference of a handle from the program, or CUDA_ERROR_INVALID_VALUE. */
CUresult texref_find(CUtexref handle, struct texref **ref);
/* The same for a call that also has other arguments, which may be wrong. */
CUresult texref_if(CUtexref handle, bool right, struct texref **ref);

#endif
