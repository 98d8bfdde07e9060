/* Stands in for NVIDIA's management library, which UCX is linked with. It says
 * that there is no driver, and UCX does without it. */
int nvmlInit_v2(void);
const char *nvmlErrorString(int error);

int nvmlInit_v2(void)
{
	return 9; /* NVML_ERROR_DRIVER_NOT_LOADED */
}

const char *nvmlErrorString(int error)
{
	(void)error;
	return "no driver";
}
