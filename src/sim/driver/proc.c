/* cuGetProcAddress and the names of errors: what works before cuInit. */
#include <string.h>

#include "entries.h"
#include "error.h"
#include "fault.h"
#include "names.h"
#include "world.h"

/* The newest row that a program of that version and form may have, or NULL.
 * *known says whether the driver has the name at all. */
static const struct proc_row *row_find(const char *name, unsigned version,
				       int per_thread, bool *known)
{
	const struct proc_row *best = NULL;

	*known = false;
	for (unsigned i = 0; i < proc_count; i++) {
		const struct proc_row *row = &proc_rows[i];

		if (strcmp(row->name, name) ||
		    row->version > world.driver_version || fault_hides(row->id))
			continue;
		*known = true;
		/* Ordered by form, then version: the last that fits
		 * is the one. */
		if (row->version <= version && row->per_thread <= per_thread)
			best = row;
	}
	return best;
}

static CUdriverProcAddressQueryResult entry_find(const char *name, void **entry,
						 int version, bool per_thread)
{
	bool known;
	const struct proc_row *row =
		row_find(name, version, per_thread, &known);

	*entry = row ? row->entry : NULL;
	if (row)
		return CU_GET_PROC_ADDRESS_SUCCESS;
	return known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
		     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

/* What is not found is no error: the entry and the status say so. */
CUresult sim_cuGetProcAddress_v2(const char *name, void **entry, int version,
				 cuuint64_t flags,
				 CUdriverProcAddressQueryResult *status)
{
	const cuuint64_t both = CU_GET_PROC_ADDRESS_LEGACY_STREAM |
				CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	CUdriverProcAddressQueryResult result;

	if (!name || !entry || flags & ~both || flags == both ||
	    version > (int)world.driver_version)
		return CUDA_ERROR_INVALID_VALUE;
	result = entry_find(
		name, entry, version,
		flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	if (status)
		*status = result;
	return CUDA_SUCCESS;
}

/* The first form has no status, and the documents of its time say NOT_FOUND. */
CUresult sim_cuGetProcAddress(const char *name, void **entry, int version,
			      cuuint64_t flags)
{
	CUresult res =
		sim_cuGetProcAddress_v2(name, entry, version, flags, NULL);

	return res || *entry || !*name ? res : CUDA_ERROR_NOT_FOUND;
}

static const struct error_row *error_find(CUresult error)
{
	for (unsigned i = 0; i < error_count; i++)
		if (error_rows[i].value == (int)error)
			return &error_rows[i];
	return NULL;
}

CUresult sim_cuGetErrorName(CUresult error, const char **text)
{
	const struct error_row *row = error_find(error);

	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = row ? row->name : NULL;
	return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGetErrorString(CUresult error, const char **text)
{
	const struct error_row *row = error_find(error);

	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = row ? row->words : NULL;
	return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
