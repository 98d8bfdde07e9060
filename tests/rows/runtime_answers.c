/* What the runtime says of memory and devices, and work on them. */
#include <stdio.h>

#include "runtime_calls.h"

cudaError_t call_info(void)
{
	size_t free = 0, total = 0;
	unsigned int how = draw(4);
	cudaError_t res =
		cudaMemGetInfo(how & 1 ? NULL : &free, how & 2 ? NULL : &total);

	printf(" how %u: total %zu, %s", how, total,
	       how || free <= total ? "plausible" : "more free");
	return res;
}

/* Asks about memory that is held, about its middle, or about memory just
 * freed. */
cudaError_t call_attributes(void)
{
	struct cudaPointerAttributes answer = {.device = 7};
	struct holding *holding = holding_drawn();
	unsigned int way = draw(5);
	char *asked = holding->kind ? holding->ptr : (char *)&answer;
	cudaError_t res;

	if (way == 1 && holding->kind)
		asked += holding->size / 2;
	if (way == 2 && holding->kind == DEVICE)
		printf(", freed %d", (int)holding_free(holding));
	if (way == 3)
		asked = NULL;
	res = cudaPointerGetAttributes(way == 4 ? NULL : &answer, asked);
	printf(" way %u: type %d, device %d, its own %d, host's %d", way,
	       (int)answer.type, answer.device,
	       (char *)answer.devicePointer - asked == 0,
	       (char *)answer.hostPointer - asked == 0);
	return res;
}

cudaError_t call_ipc(void)
{
	struct holding *holding = holding_drawn();
	unsigned int way = draw(3);
	cudaIpcMemHandle_t handle = {{0}};
	char *asked = holding->kind ? holding->ptr : (char *)holding;
	void *opened = &handle;
	cudaError_t res;

	if (way == 1)
		asked = NULL;
	if (way == 2)
		return cudaIpcCloseMemHandle(asked);
	res = cudaIpcGetMemHandle(&handle, asked);
	printf(" handle %d, last %d", (int)res, (int)cudaPeekAtLastError());
	res = cudaIpcOpenMemHandle(&opened, handle,
				   cudaIpcMemLazyEnablePeerAccess);
	printf(" %s", opened == &handle ? "untouched" : "opened");
	return res;
}

cudaError_t call_host_pointer(void)
{
	struct holding *holding = holding_drawn();
	void *asked = holding->kind ? holding->ptr : (void *)holding;
	unsigned int flags = 77;
	void *device = &flags;
	cudaError_t res = cudaHostGetDevicePointer(&device, asked, 0);

	printf(" pointer %d, %s, last %d", (int)res,
	       device == asked ? "the same" : "another",
	       (int)cudaPeekAtLastError());
	res = cudaHostGetFlags(&flags, asked);
	printf(" flags %u", flags);
	return res;
}

/* One time in eight the fill goes past the end of device memory. */
cudaError_t call_fill(void)
{
	struct holding *holding = holding_drawn();
	unsigned char value = (unsigned char)draw(256), read = 0;
	size_t past = holding->kind == DEVICE && !draw(8) ? 64 << 20 : 0;
	cudaError_t res;

	if (holding->kind == NOTHING || !holding->size)
		return cudaMemset(holding, 0, 1);
	res = cudaMemset(holding->ptr, value, holding->size + past);
	printf(" %d, last %d", (int)res, (int)cudaPeekAtLastError());
	if (res)
		return res;
	res = cudaMemcpy(&read, holding->ptr + holding->size - 1, 1,
			 cudaMemcpyDefault);
	printf(" %s", read == value ? "right" : "WRONG");
	return res;
}

cudaError_t call_device(void)
{
	static const int devices[] = {0, 0, 0, 1, 7, -1};
	int wanted = devices[draw(6)], now = -1;
	cudaError_t res = cudaSetDevice(wanted);

	cudaGetDevice(&now);
	printf(" %d: is %d", wanted, now);
	return res;
}

cudaError_t call_synchronize(void)
{
	return draw(2) ? cudaDeviceSynchronize() : cudaStreamSynchronize(NULL);
}
