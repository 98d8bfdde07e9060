/* Entries of the echo driver whose answers mean something. */
#include <string.h>

#include "echo_entry.h"

EXPORT CUresult cuDriverGetVersion(int *version)
{
	echo_begin(NUMBER_cuDriverGetVersion, ECHO_GRANTS);
	echo_argument(&version, sizeof(version));
	*version = CUDA_VERSION;
	return echo_end();
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
	echo_begin(NUMBER_cuCtxGetDevice, ECHO_GRANTS);
	echo_argument(&device, sizeof(device));
	*device = 0;
	return echo_end();
}

/* Every address is the start of an allocation. */
EXPORT CUresult cuPointerGetAttribute(void *answer,
				      CUpointer_attribute attribute,
				      CUdeviceptr addr)
{
	bool start = attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR;
	CUresult res;

	echo_begin(NUMBER_cuPointerGetAttribute, ECHO_AS_TOLD);
	echo_argument(&answer, sizeof(answer));
	echo_argument(&attribute, sizeof(attribute));
	echo_argument(&addr, sizeof(addr));
	echo_output(answer, start ? sizeof(addr) : sizeof(int));
	res = echo_end();
	if (!res && start)
		memcpy(answer, &addr, sizeof(addr));
	return res;
}

static CUresult found(const char *name, void **out, int version,
		      cuuint64_t flags)
{
	const cuuint64_t own = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	void *entry = name ? echo_find(name, version, flags == own) : NULL;

	echo_output(out, sizeof(*out));
	if (!entry || !out)
		return echo_end();
	*out = entry;
	echo_end();
	return CUDA_SUCCESS;
}

EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version,
				 cuuint64_t flags)
{
	echo_begin(NUMBER_cuGetProcAddress, ECHO_AS_TOLD);
	echo_argument(&name, sizeof(name));
	echo_argument(&out, sizeof(out));
	echo_argument(&version, sizeof(version));
	echo_argument(&flags, sizeof(flags));
	return found(name, out, version, flags);
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
				    cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	echo_begin(NUMBER_cuGetProcAddress_v2, ECHO_AS_TOLD);
	echo_argument(&name, sizeof(name));
	echo_argument(&out, sizeof(out));
	echo_argument(&version, sizeof(version));
	echo_argument(&flags, sizeof(flags));
	echo_argument(&status, sizeof(status));
	return found(name, out, version, flags);
}
