/* Stands in for NVIDIA's management library where there is none. PyTorch asks
 * it one thing before it maps memory: whether the device is in a fabric with
 * those of other hosts. As a library older than that question it can't say. */
enum { SUCCESS = 0, NOT_SUPPORTED = 3 };

#define REFUSED(name) \
	int name(void); \
	int name(void) \
	{ \
		return NOT_SUPPORTED; \
	}

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);

int nvmlInit_v2(void)
{
	return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
	static int one;

	(void)bus;
	*device = &one;
	return SUCCESS;
}

/* PyTorch looks up these as well, and goes without what they refuse. */
REFUSED(nvmlDeviceGetNvLinkRemoteDeviceType)
REFUSED(nvmlDeviceGetNvLinkRemotePciInfo_v2)
REFUSED(nvmlDeviceGetComputeRunningProcesses)
REFUSED(nvmlSystemGetCudaDriverVersion_v2)
