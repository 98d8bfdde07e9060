/* Stands in for NVIDIA's management library where there is none. Before it maps
 * memory, PyTorch asks it whether the device is in a fabric with those of other
 * hosts. A library older than that question can't say, and neither does this
 * one. */
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

/* PyTorch looks up these as well, and does without what they refuse. */
REFUSED(nvmlDeviceGetNvLinkRemoteDeviceType)
REFUSED(nvmlDeviceGetNvLinkRemotePciInfo_v2)
REFUSED(nvmlDeviceGetComputeRunningProcesses)
REFUSED(nvmlSystemGetCudaDriverVersion_v2)
