/* The driver's messages for programs: there are none, so that nothing is ever
 * called and nothing is dumped. */
#include <stdio.h>
#include <stdlib.h>

#include "entries.h"

struct listener {
	struct listener *next;
};

static struct listener *listeners;

CUresult sim_cuLogsRegisterCallback(CUlogsCallback function, void *data,
				    CUlogsCallbackHandle *out)
{
	struct listener *listener;

	(void)data;
	if (!function || !out)
		return CUDA_ERROR_INVALID_VALUE;
	listener = malloc(sizeof(*listener));
	if (!listener)
		return CUDA_ERROR_OUT_OF_MEMORY;
	listener->next = listeners;
	listeners = listener;
	*out = (CUlogsCallbackHandle)listener;
	return CUDA_SUCCESS;
}

CUresult sim_cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
	struct listener **at = &listeners;
	struct listener *gone;

	while (*at && (CUlogsCallbackHandle)*at != handle)
		at = &(*at)->next;
	gone = *at;
	if (!gone)
		return CUDA_ERROR_INVALID_VALUE;
	*at = gone->next;
	free(gone);
	return CUDA_SUCCESS;
}

CUresult sim_cuLogsCurrent(CUlogIterator *out, unsigned flags)
{
	if (!out || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*out = 0;
	return CUDA_SUCCESS;
}

CUresult sim_cuLogsDumpToFile(CUlogIterator *from, const char *path,
			      unsigned flags)
{
	FILE *file = path && !flags ? fopen(path, "ae") : NULL;

	(void)from;
	if (!file)
		return CUDA_ERROR_INVALID_VALUE;
	fclose(file);
	return CUDA_SUCCESS;
}

CUresult sim_cuLogsDumpToMemory(CUlogIterator *from, char *buffer, size_t *size,
				unsigned flags)
{
	(void)from;
	if (!buffer || !size || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (*size)
		*buffer = '\0';
	*size = 0;
	return CUDA_SUCCESS;
}
