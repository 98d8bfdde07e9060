/* Another library in the suite's process, as far as memory goes. Whenever the
 * suite calls cuMemAlloc or cuMemFree, for up to 64 MiB, this one takes as
 * much, fills it in a stream of its own that waits for no other, and frees it.
 * So what the suite gets has just been the neighbour's, and the other way
 * round, while the former holder's work is still to come.
 *
 * After a free it also looks whether its bytes are still as it wrote them, and
 * says on stderr if they are not. It is preloaded in front of libmnm.so. It
 * must change nothing by itself: it takes no part in a capture and in a forked
 * child, and holds no lock while it looks for functions. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#undef cuMemAlloc
#undef cuMemFree
#undef cuGetProcAddress

enum {
	FILL = 0xa5,
	LARGEST = 64 << 20, /* bytes; what is larger is left alone */
	SEEN = 4096,        /* bytes at either end of it that are looked at */
	CONTEXTS = 64
};

typedef void *dlsym_fn(void *, const char *);

/* What a function of the driver is without this library: mnm's, or the
 * driver's where there is no mnm. */
#define BEHIND(ROW) \
	ROW(cuMemAlloc_v2, (CUdeviceptr *, size_t)) \
	ROW(cuMemFree_v2, (CUdeviceptr)) \
	ROW(cuMemGetAddressRange_v2, (CUdeviceptr *, size_t *, CUdeviceptr)) \
	ROW(cuMemAllocManaged, (CUdeviceptr *, size_t, unsigned int)) \
	ROW(cuCtxGetCurrent, (CUcontext *)) \
	ROW(cuCtxGetId, (CUcontext, unsigned long long *)) \
	ROW(cuStreamCreate, (CUstream *, unsigned int)) \
	ROW(cuStreamSynchronize, (CUstream)) \
	ROW(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream)) \
	ROW(cuMemcpyDtoDAsync_v2, \
	    (CUdeviceptr, CUdeviceptr, size_t, CUstream)) \
	ROW(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *)) \
	ROW(cuGetProcAddress, (const char *, void **, int, cuuint64_t)) \
	ROW(cuGetProcAddress_v2, (const char *, void **, int, cuuint64_t, \
				  CUdriverProcAddressQueryResult *))

static struct {
#define ROW(name, parameters) CUresult(*name) parameters;
	BEHIND(ROW)
#undef ROW
} behind;

static dlsym_fn *dlsym_behind;

/* Of each context. They are told apart by number: the address of one that has
 * gone may come again. */
static struct own {
	unsigned long long context;
	CUstream stream;
	CUdeviceptr seen; /* managed memory, for what is looked at */
} owns[CONTEXTS];
static unsigned int latest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_child; /* of a process that had this library */

/* dlsym is asked before any constructor runs. libc's finds the one behind. */
static dlsym_fn *find_dlsym(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17",
					       "GLIBC_2.2.5"};
	dlsym_fn *of_libc = NULL;

	for (size_t i = 0; !dlsym_behind && !of_libc && i < 3; i++)
		of_libc = (dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	if (of_libc)
		dlsym_behind = (dlsym_fn *)of_libc(RTLD_NEXT, "dlsym");
	return dlsym_behind;
}

/* Whether the driver is there. Threads that come here at one time store the
 * same. */
static bool find(void)
{
	static bool found;
	void *driver;

	if (__atomic_load_n(&found, __ATOMIC_ACQUIRE))
		return true;
	driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (!driver)
		return false;
#define ROW(name, parameters) \
	__atomic_store_n((void **)&behind.name, find_dlsym()(driver, #name), \
			 __ATOMIC_RELAXED);
	BEHIND(ROW)
#undef ROW
	__atomic_store_n(&found, true, __ATOMIC_RELEASE);
	return true;
}

/* The lock may be another thread's, which is not there. */
static void leave(void)
{
	is_child = true;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, leave);
}

/* NULL without a context, or where nothing can be had. */
static struct own *own_of_context(void)
{
	unsigned long long id;
	struct own *own;
	CUcontext context;

	if (behind.cuCtxGetCurrent(&context) || !context ||
	    behind.cuCtxGetId(context, &id))
		return NULL;
	for (unsigned int i = 0; i < CONTEXTS; i++)
		if (owns[i].stream && owns[i].context == id)
			return &owns[i];
	own = &owns[latest++ % CONTEXTS];
	own->context = id;
	if (behind.cuMemAllocManaged(&own->seen, SEEN, CU_MEM_ATTACH_GLOBAL) ||
	    behind.cuStreamCreate(&own->stream, CU_STREAM_NON_BLOCKING)) {
		own->stream = NULL;
		return NULL;
	}
	return own;
}

static void look(struct own *own, CUdeviceptr start, size_t size)
{
	const unsigned char *seen = (const unsigned char *)own->seen;
	unsigned int others = 0;

	if (behind.cuMemcpyDtoDAsync_v2(own->seen, start, size, own->stream) ||
	    behind.cuStreamSynchronize(own->stream))
		return;
	for (size_t i = 0; i < size; i++)
		others += seen[i] != FILL;
	if (others)
		fprintf(stderr, "neighbour: %u of its bytes are another's\n",
			others);
}

/* Does nothing where that fails. */
static void take_fill_free(size_t size, bool looks)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	size_t part = size < SEEN ? size : SEEN;
	struct own *own;
	CUdeviceptr start;

	if (!size || size > LARGEST || is_child)
		return;
	behind.cuThreadExchangeStreamCaptureMode(&mode);
	pthread_mutex_lock(&lock);
	own = own_of_context();
	if (own && !behind.cuMemAlloc_v2(&start, size)) {
		if (!behind.cuMemsetD8Async(start, FILL, size, own->stream) &&
		    looks) {
			look(own, start, part);
			look(own, start + size - part, part);
		}
		behind.cuMemFree_v2(start);
	}
	pthread_mutex_unlock(&lock);
	behind.cuThreadExchangeStreamCaptureMode(&mode);
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	if (!find())
		return CUDA_ERROR_NOT_INITIALIZED;
	take_fill_free(size, false);
	return behind.cuMemAlloc_v2(out, size);
}

CUresult cuMemFree_v2(CUdeviceptr start)
{
	CUdeviceptr base;
	size_t size = 0;
	CUresult res;

	if (!find())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!start || behind.cuMemGetAddressRange_v2(&base, &size, start))
		size = 0;
	res = behind.cuMemFree_v2(start);
	if (!res)
		take_fill_free(size, true);
	return res;
}

static CUresult found_instead(CUresult res, void **out);

CUresult cuGetProcAddress(const char *name, void **out, int version,
			  cuuint64_t flags)
{
	if (!find())
		return CUDA_ERROR_NOT_INITIALIZED;
	return found_instead(behind.cuGetProcAddress(name, out, version, flags),
			     out);
}

CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
			     cuuint64_t flags,
			     CUdriverProcAddressQueryResult *status)
{
	if (!find())
		return CUDA_ERROR_NOT_INITIALIZED;
	return found_instead(
		behind.cuGetProcAddress_v2(name, out, version, flags, status),
		out);
}

/* What programs are to call here. The older forms, which take 32 bits, are left
 * alone. */
#define OURS(ROW) \
	ROW(cuMemAlloc_v2) \
	ROW(cuMemFree_v2) \
	ROW(cuGetProcAddress) \
	ROW(cuGetProcAddress_v2)

static CUresult found_instead(CUresult res, void **out)
{
#define ROW(name) \
	if (!res && *out == (void *)behind.name) \
		*out = (void *)name;
	OURS(ROW)
#undef ROW
	return res;
}

/* Calls of the one behind are jumps and not calls, by the optimiser: it looks
 * at its return address. */
void *dlsym(void *handle, const char *name)
{
	void *instead = NULL;

#define ROW(ours) \
	if (!strcmp(name, #ours)) \
		instead = (void *)ours;
	if (handle != RTLD_NEXT)
		OURS(ROW)
#undef ROW
	if (!instead)
		return find_dlsym()(handle, name);
	return find() && find_dlsym()(handle, name) ? instead : NULL;
}
