#include "api.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "common/log.h"
#include "common/option.h"
#include "common/text.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "mem/config.h"
#include "preload/loader.h"
#include "preload/serving.h"

static __thread char line[OPTION_ERROR_SIZE];

CUresult api_fail(CUresult result, const char *format, ...)
{
	char text[OPTION_ERROR_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_plain(text, line, sizeof(line)); /* a name may have lines */
	return result;
}

/* A program may load the library itself, as PyTorch does with the one that an
 * allocator of its own is in. Then its other calls don't come here, and nobody
 * can know when memory may be used again. */
static bool is_preloaded(void)
{
	void *all = loader_open(NULL, RTLD_LAZY);

	return all && dlsym_behind()(all, "mnm_version") == (void *)mnm_version;
}

/* Threads may do this at the same time. None waits for another: one may hold
 * the loader's lock, which is taken here. */
static void look_for_preload(void)
{
	static _Atomic bool looked, said;

	if (atomic_load_explicit(&looked, memory_order_acquire))
		return;
	if (!is_preloaded()) {
		serving_end();
		if (!atomic_exchange(&said, true))
			log_warn("libmnm.so is loaded, but not preloaded, so "
				 "CUDA serves each call; run the program by "
				 "mnm run");
	}
	atomic_store(&looked, true);
}

bool api_serves(CUresult *result)
{
	look_for_preload();
	if (config_once())
		return true;
	*result = api_fail(CUDA_ERROR_NOT_SUPPORTED,
			   "mnm does not serve this process; mnm doctor says "
			   "what may be the reason");
	return false;
}

struct device *api_device(int ordinal, CUresult *result)
{
	if (!api_serves(result))
		return NULL;
	if (ordinal == MNM_HOST)
		return device_at(DEVICE_HOST);
	if (ordinal >= 0 && ordinal < DEVICE_MAX &&
	    backing_may_have_device(ordinal))
		return device_at(ordinal);
	*result = api_fail(CUDA_ERROR_INVALID_DEVICE,
			   "there is no device %d; allowed: ordinals of CUDA's "
			   "devices, and MNM_HOST (%d)",
			   ordinal, MNM_HOST);
	return NULL;
}

CUresult api_no_pointer(const char *name)
{
	return api_fail(CUDA_ERROR_INVALID_VALUE, "%s is NULL", name);
}

unsigned int mnm_version(void)
{
	CUresult result;

	return api_serves(&result) ? MNM_API_VERSION : 0;
}

const char *mnm_error(void)
{
	return line;
}
