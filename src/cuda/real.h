/* CUDA's own entries, past our hooks.
 *
 * The driver is whichever libcuda the program has loaded; mnm never loads it.
 * Only hooks, backing and context start-up may call these. */
#ifndef MNM_REAL_H
#define MNM_REAL_H

#include <stdatomic.h>

/* The header then declares each entry under its exported name. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "hook_list.h"
/* Written by src/hooks/gen_work. */
#include "graphics_list.h"
#include "work_list.h"

/* Twins for the per-thread default stream that the header does not declare. */
#define TWIN(symbol) extern __typeof__(symbol) symbol##_ptsz;
TWIN(cuStreamBeginCapture_v2)
TWIN(cuStreamBeginCaptureToGraph)
TWIN(cuStreamEndCapture)
TWIN(cuStreamIsCapturing)
TWIN(cuStreamQuery)
TWIN(cuStreamSynchronize)
TWIN(cuGraphInstantiateWithParams)
TWIN(cuMemAllocAsync)
TWIN(cuMemAllocFromPoolAsync)
TWIN(cudaMallocAsync)
TWIN(cudaMallocFromPoolAsync)
TWIN(cudaFreeAsync)
#undef TWIN

#define VERSION_MAX 0x7fffffff

struct real_driver {
#define USED(symbol)                    __typeof__(symbol) *symbol;
#define HOOK(symbol, name, from, until) USED(symbol)
	DRIVER_USED_LIST DRIVER_HOOK_LIST
#undef HOOK
#undef USED
};

struct real_runtime {
#define USED(symbol)                    __typeof__(symbol) *symbol;
#define HOOK(symbol, name, from, until) USED(symbol)
	RUNTIME_USED_LIST RUNTIME_HOOK_LIST
#undef HOOK
#undef USED
};

/* NULL until a table has been asked for while the program has the library
 * loaded. */
extern const void *_Atomic real_driver_table, *_Atomic real_runtime_table;
const struct real_driver *real_driver_find(void);
const struct real_runtime *real_runtime_find(void);

/* Return NULL while the program has not loaded that library. Members that it
 * lacks are NULL; those that are needed (real.c) never are. */
static inline const struct real_driver *real_driver(void)
{
	const struct real_driver *table =
		atomic_load_explicit(&real_driver_table, memory_order_acquire);

	return table ? table : real_driver_find();
}

static inline const struct real_runtime *real_runtime(void)
{
	const struct real_runtime *table =
		atomic_load_explicit(&real_runtime_table, memory_order_acquire);

	return table ? table : real_runtime_find();
}

#endif
