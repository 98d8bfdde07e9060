#include "nvtx_names.h"

#include <stdint.h>

#include "record/texts.h"

const char *nvtx_name_narrow(const wchar_t *wide, char name[NVTX_NAME_SIZE])
{
	char *at = name;

	while (wide && *wide && at < name + NVTX_NAME_SIZE - 5) {
		uint32_t c = (uint32_t)*wide++;
		int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
		static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};

		*at++ = (char)(leads[more] | (c >> (6 * more)));
		for (int i = more - 1; i >= 0; i--)
			*at++ = (char)(0x80 | ((c >> (6 * i)) & 0x3f));
	}
	*at = '\0';
	return wide ? name : NULL;
}

void *nvtx_handle_own(const char *name)
{
	return name ? (void *)record_text(NULL, name) : NULL;
}

static size_t place_of(const void *handle)
{
	return ((uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 40;
}

void *nvtx_handle_note(struct nvtx_handles *handles, void *handle,
		       const char *name)
{
	if (!handle || !name)
		return handle;
	for (size_t i = 0; i < NVTX_HANDLES_MOST; i++) {
		size_t at = (place_of(handle) + i) % NVTX_HANDLES_MOST;
		void *there = NULL;

		if (!atomic_compare_exchange_strong(&handles->at[at].handle,
						    &there, handle) &&
		    there != handle)
			continue;
		atomic_store(&handles->at[at].name, record_text(NULL, name));
		break;
	}
	return handle;
}

const char *nvtx_handle_name(struct nvtx_handles *handles, void *handle)
{
	if (!handle || record_text_is(handle))
		return handle;
	for (size_t i = 0; i < NVTX_HANDLES_MOST; i++) {
		size_t at = (place_of(handle) + i) % NVTX_HANDLES_MOST;
		void *there = atomic_load(&handles->at[at].handle);

		if (there == handle)
			return atomic_load(&handles->at[at].name);
		if (!there)
			break;
	}
	return NULL;
}
