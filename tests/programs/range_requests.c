/* Asks for memory within NVTX ranges of each sort: twice as much each time, and
 * frees none of it. Names are gone once a range has begun. */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static CUcontext context;
static size_t size = 1 << 20;
static nvtxRangeId_t load;

static void take(void)
{
	CUdeviceptr ptr;

	if (cuMemAlloc(&ptr, size))
		abort();
	size *= 2;
}

static void push_named(const char *text)
{
	char *name = strdup(text);

	nvtxRangePushA(name);
	memset(name, '#', strlen(name));
	free(name);
}

static nvtxEventAttributes_t event_of(nvtxStringHandle_t registered)
{
	nvtxEventAttributes_t event = {.version = NVTX_VERSION,
				       .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
				       .messageType =
					       NVTX_MESSAGE_TYPE_REGISTERED};

	event.message.registered = registered;
	return event;
}

static void *other_thread(void *unused)
{
	nvtxRangePop(); /* it has none */
	cuCtxSetCurrent(context);
	take();
	nvtxRangeEnd(load);
	return unused;
}

static void in_domain(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
	nvtxDomainHandle_t wide = nvtxDomainCreateW(L"netz");
	nvtxEventAttributes_t step =
		event_of(nvtxDomainRegisterStringA(domain, "step"));
	nvtxEventAttributes_t send =
		event_of(nvtxDomainRegisterStringW(wide, L"senden"));

	nvtxRangePushW(L"vorw\u00e4rts");
	take();
	nvtxDomainRangePushEx(domain, &step);
	take();
	nvtxRangePop(); /* not the domain's */
	take();
	nvtxDomainMarkEx(wide, &send);
	nvtxDomainRangePop(domain);
}

int main(void)
{
	pthread_t thread;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context))
		return 1;
	push_named("epoch 1");
	take();
	in_domain();
	load = nvtxRangeStartA("load");
	take();
	if (pthread_create(&thread, NULL, other_thread, NULL))
		return 1;
	pthread_join(thread, NULL);
	nvtxMarkA("joined, \"there\"");
	take();
	nvtxRangePop();
	take();
	return 0;
}
