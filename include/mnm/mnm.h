/* What a program may ask of mnm, or tell it, while it runs.
 *
 * All of it is optional. A program that includes this header links to nothing:
 * each function looks once for the library that is preloaded, and calls it
 * there. Without the preload the functions do nothing, and return
 * CUDA_ERROR_NOT_SUPPORTED; so they do where mnm does not serve the process
 * (MNM_DISABLE, options that are wrong, the child of a fork).
 * docs/c-api.md explains them with examples.
 *
 * The functions may be called from any thread, but not, as all of CUDA's, from
 * a function that a stream runs (cuLaunchHostFunc). They allocate no host
 * memory beyond what the pools take for themselves. They change what their
 * arguments point to only if they return CUDA_SUCCESS, but for mnm_alloc_batch.
 * A device is its CUDA ordinal, or MNM_HOST: pinned host memory. Sizes are in
 * bytes. */
#ifndef MNM_MNM_H
#define MNM_MNM_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>
#include <dlfcn.h>

/* The version of this interface. A later one has the same functions with the
 * same meaning, and more of them. */
#define MNM_API_VERSION 1

#define MNM_HOST (-1)

/* Bytes that the longest name of a pool takes, with its backing and the NUL. */
#define MNM_POOL_NAME_SIZE 80

#ifdef __cplusplus
extern "C" {
#endif

/* Figures of a device, by the names that they have in `mnm stat`. Later
 * versions add members at the end. */

struct mnm_stats {
	size_t size; /* of this struct; set by the caller before the call */
	/* Bytes, now: asked for and not yet freed; taken from the driver by
	 * pools; kept for reuse; all that the process has of the device. */
	uint64_t live_bytes, reserved_bytes, idle_bytes, device_bytes;
	/* Bytes, the most there were. */
	uint64_t live_peak, reserved_peak;
	/* Requests served so far, of them from idle blocks; frees; requests
	 * that failed; calls of the driver's that allocate, and that free. */
	uint64_t allocs, hits, frees, failures, driver_allocs, driver_frees;
	/* Waits for the device so far, for reuse. */
	uint64_t syncs;
	/* Iterations that were marked so far, however that was told. */
	uint64_t iterations;
};

/* Declares a function. The library itself has them under these names; everyone
 * else gets one that finds it there, or returns `without`. */
#ifdef MNM_API_OWN
#define MNM_API(type, name, without, parameters, arguments) \
	__attribute__((visibility("default"))) type name parameters;
#define MNM_API_VOID(name, parameters, arguments) \
	MNM_API(void, name, , parameters, arguments)
#else
static inline void *mnm_api_find(void **known, const char *name)
{
	void *found = __atomic_load_n(known, __ATOMIC_RELAXED);

	/* NULL is RTLD_DEFAULT, which glibc's header shows to GNU's dialects
	 * only. The place itself stands for "there is none". */
	if (!found) {
		found = dlsym(NULL, name);
		__atomic_store_n(known, found ? found : (void *)known,
				 __ATOMIC_RELAXED);
	}
	return found == (void *)known ? NULL : found;
}

#define MNM_API_ENTRY(type, name, parameters) \
	static void *known; \
	union { \
		void *found; \
		type(*call) parameters; \
	} entry; \
\
	entry.found = mnm_api_find(&known, #name)

#define MNM_API(type, name, without, parameters, arguments) \
	__attribute__((unused)) static inline type name parameters \
	{ \
		MNM_API_ENTRY(type, name, parameters); \
		return entry.found ? entry.call arguments : (without); \
	}

#define MNM_API_VOID(name, parameters, arguments) \
	__attribute__((unused)) static inline void name parameters \
	{ \
		MNM_API_ENTRY(void, name, parameters); \
		if (entry.found) \
			entry.call arguments; \
	}
#endif

#define MNM_API_RESULT(name, parameters, arguments) \
	MNM_API(CUresult, name, CUDA_ERROR_NOT_SUPPORTED, parameters, arguments)

/* The MNM_API_VERSION of the library that serves this process; 0 if none
 * does. */
MNM_API(unsigned int, mnm_version, 0, (void), ())

/* What was wrong with the calling thread's last call of this header that
 * failed, as one line; "" if none has. Valid until the thread's next call. */
MNM_API(const char *, mnm_error,
	"mnm is not loaded: run the program by mnm run", (void), ())

/* Serves the device from a new pool from now on: "NAME", or "NAME@BACKING", as
 * MNM_POOL takes it for one device. The pool before it goes in any case, even
 * if it has the same name: its idle memory goes back to the driver, and its
 * live blocks stay valid until they are freed. The device need not have been
 * used yet.
 *
 * CUDA_ERROR_INVALID_VALUE: there is no such pool, or it is switched off as it
 * has answered wrongly; the one before stays.
 * CUDA_ERROR_INVALID_DEVICE: there is no such device.
 * CUDA_ERROR_OUT_OF_MEMORY: no host memory for the pool; the one before
 * stays. */
MNM_API_RESULT(mnm_init_pool, (int device, const char *pool), (device, pool))

/* The device's pool goes, as in mnm_init_pool; the next request makes a new one
 * of the default, which is what MNM_POOL says for the device, or page_unit_pool
 * if that one is switched off. */
MNM_API_RESULT(mnm_remove_pool, (int device), (device))

/* Writes the name of the device's pool, as mnm_init_pool takes it.
 * CUDA_ERROR_INVALID_VALUE: it does not fit into size bytes;
 * MNM_POOL_NAME_SIZE are enough. */
MNM_API_RESULT(mnm_pool_name, (int device, char *name, size_t size),
	       (device, name, size))

/* How many bytes the device's pool would take for a request of size bytes.
 * CUDA_ERROR_INVALID_VALUE: the pool serves no request of that size. */
MNM_API_RESULT(mnm_alloc_bytes, (int device, size_t size, size_t *bytes),
	       (device, size, bytes))

/* The bytes that the program has from the device's pools now, and those that
 * the pools have from the driver. Either may be NULL. */
MNM_API_RESULT(mnm_pool_size, (int device, size_t *used, size_t *reserved),
	       (device, used, reserved))

/* Fills stats, whose member `size` the caller has set to the size of the struct
 * as it knows it. What a later caller knows more is 0. */
MNM_API_RESULT(mnm_device_stats, (int device, struct mnm_stats *stats),
	       (device, stats))

/* Allocates count buffers of the current context, as cuMemAlloc would one by
 * one, and in that order, so that a pool that places blocks puts them side by
 * side where it has room. Either all of them are allocated, or none is: then
 * those of ptrs that had been set are 0, and the error is that of the request
 * which failed, CUDA_ERROR_INVALID_VALUE for a size of 0. A count of 0 does
 * nothing. Each buffer is freed by itself, by cuMemFree, cudaFree or
 * mnm_free_batch. */
MNM_API_RESULT(mnm_alloc_batch,
	       (size_t count, const size_t *sizes, CUdeviceptr *ptrs),
	       (count, sizes, ptrs))

/* Frees count buffers, as cuMemFree would one by one. An error of one does not
 * keep the others from being freed; the first error is returned. */
MNM_API_RESULT(mnm_free_batch, (size_t count, const CUdeviceptr *ptrs),
	       (count, ptrs))

/* Allocates in the order of a stream of the current context, as cuMemAllocAsync
 * does from the current pool of CUDA's; mnm serves it without a fence. Where
 * the stream captures, the buffer is allocated at once, and may be used by each
 * launch of the graph. mnm_free_in is for what mnm_alloc_in has allocated. */
MNM_API_RESULT(mnm_alloc_in, (CUdeviceptr * ptr, size_t size, CUstream stream),
	       (ptr, size, stream))
MNM_API_RESULT(mnm_free_in, (CUdeviceptr ptr, CUstream stream), (ptr, stream))

/* Gives back to the driver what the device's pools have idle. *bytes, which may
 * be NULL, is how much that is. As cuMemFree, it may wait for work that is
 * queued; during a capture the memory goes back at the first free after it. */
MNM_API_RESULT(mnm_trim, (int device, size_t *bytes), (device, bytes))

/* Sets an option of those that `mnm set` can change, for the whole process:
 * pool_limit, hard_limit, idle_limit, host_limit and others
 * (docs/options.md), in the same spelling.
 * CUDA_ERROR_INVALID_VALUE: there is no such option, it can't change while the
 * program runs, or the value is wrong. Nothing has changed then. */
MNM_API_RESULT(mnm_set, (const char *option, const char *value),
	       (option, value))

/* The program begins its next iteration, of training or of whatever it
 * repeats: `mnm stat` shows how many there were, and tstack_pool looks for what
 * repeats from mark to mark. Like the other functions here and CUDA's own, it
 * must not be called in a signal handler: it may wait for a lock that the
 * interrupted thread holds. */
MNM_API_RESULT(mnm_mark_iteration, (void), ())

/* Names what the calling thread works on, until its next call; NULL or "" ends
 * that. mnm's lines about the thread's requests have the name, as the one that
 * says who ran out of memory. The first MNM_WORK_MAX bytes count. */
#define MNM_WORK_MAX 63
MNM_API_RESULT(mnm_name_work, (const char *name), (name))

/* What a framework's own hook takes, with the types that it has for it:
 * PyTorch's CUDAPluggableAllocator and MemPool, CuPy's CFunctionAllocator.
 * docs/frameworks.md has the lines to write. A device is its ordinal; the
 * current context stays as it is. The functions return NULL if there is no
 * memory, and for a size of 0. If mnm does not serve the process, CUDA serves
 * these calls; so it does where a framework has loaded the library by its path,
 * and it is not preloaded. Called by this header without a library, they do
 * nothing, as the others, and return NULL.
 *
 * In the first two, memory is asked for and freed in the order of a stream of
 * the device, as in mnm_alloc_in. In the last two, it may be used by all
 * streams at once, as with cuMemAlloc. */
MNM_API(void *, mnm_torch_malloc, NULL,
	(ptrdiff_t size, int device, CUstream stream), (size, device, stream))
MNM_API_VOID(mnm_torch_free,
	     (void *ptr, ptrdiff_t size, int device, CUstream stream),
	     (ptr, size, device, stream))
/* A tensor is used in another stream as well, as PyTorch's record_stream says:
 * once it is freed, no stream has its memory before all work is over that was
 * queued until then. PyTorch has to be told of this function; see the page. */
MNM_API_VOID(mnm_torch_record_stream, (void *ptr, CUstream stream),
	     (ptr, stream))
MNM_API(void *, mnm_cupy_malloc, NULL, (void *param, size_t size, int device),
	(param, size, device))
MNM_API_VOID(mnm_cupy_free, (void *param, void *ptr, int device),
	     (param, ptr, device))

#undef MNM_API_RESULT
#undef MNM_API_VOID
#undef MNM_API_ENTRY
#undef MNM_API

#ifdef __cplusplus
}
#endif

#endif
