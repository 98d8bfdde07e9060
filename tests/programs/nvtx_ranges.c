/* Names its iterations by NVTX: nvtx_ranges FORM COUNT, where FORM is the call
 * that begins their ranges. In each are ranges of other names, and blocks of
 * CUDA's memory, some of which outlive it. */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 24, KEPT = 2 };

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t registered, other;
static char name[64];

static nvtxEventAttributes_t event_of(int type)
{
	nvtxEventAttributes_t event = {.version = NVTX_VERSION,
				       .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
				       .messageType = type};

	event.message.ascii = name;
	return event;
}

static void push_a(void)
{
	nvtxRangePushA(name);
	nvtxRangePushA("forward of a layer");
	nvtxRangePop();
	nvtxRangePop();
}

static void push_w(void)
{
	nvtxRangePushW(L"iteration \u00e4\u20ac");
	nvtxRangePushW(L"forward of a layer");
	nvtxRangePop();
	nvtxRangePop();
}

static void push(void)
{
	nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_ASCII);

	nvtxRangePushEx(&event);
	event.message.ascii = "forward of a layer";
	nvtxRangePushEx(&event);
	nvtxRangePop();
	nvtxRangePop();
}

static void start_a(void)
{
	nvtxRangeId_t range = nvtxRangeStartA(name);

	nvtxRangeEnd(nvtxRangeStartA("forward of a layer"));
	nvtxRangeEnd(range);
}

static void start_w(void)
{
	nvtxRangeEnd(nvtxRangeStartW(L"iteration"));
	nvtxRangeEnd(nvtxRangeStartW(L"forward of a layer"));
}

static void start(void)
{
	nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_UNICODE);

	event.message.unicode = L"iteration";
	nvtxRangeEnd(nvtxRangeStartEx(&event));
	event.messageType = NVTX_MESSAGE_UNKNOWN;
	nvtxRangeEnd(nvtxRangeStartEx(&event));
}

static void domain_push(void)
{
	nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_REGISTERED);

	event.message.registered = registered;
	nvtxDomainRangePushEx(domain, &event);
	event.message.registered = other;
	nvtxDomainRangePushEx(domain, &event);
	nvtxDomainRangePop(domain);
	nvtxDomainRangePop(domain);
}

static void domain_start(void)
{
	nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_ASCII);

	nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &event));
}

static void none(void)
{
}

static const struct {
	const char *name;
	void (*call)(void);
} forms[] = {
	{"push_a", push_a},
	{"push_w", push_w},
	{"push", push},
	{"start_a", start_a},
	{"start_w", start_w},
	{"start", start},
	{"domain_push", domain_push},
	{"domain_start", domain_start},
	{"none", none},
};

/* Sizes are the same in each iteration. */
static void work(CUdeviceptr *kept)
{
	CUdeviceptr blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		if (cuMemAlloc(&blocks[i], (size_t)(1 + i * 7 % 11) << 18))
			abort();
	for (int i = 0; i < KEPT; i++) {
		cuMemFree(kept[i]);
		kept[i] = blocks[i];
	}
	for (int i = KEPT; i < BLOCKS; i++)
		cuMemFree(blocks[i]);
}

int main(int argc, char **argv)
{
	CUdeviceptr kept[KEPT] = {0};
	CUcontext context;
	void (*call)(void) = NULL;

	for (size_t i = 0; argc == 3 && i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(forms[i].name, argv[1]))
			call = forms[i].call;
	if (!call)
		return 2;
	/* NVTX is set up before CUDA is. */
	domain = nvtxDomainCreateA("nvtx_ranges");
	registered = nvtxDomainRegisterStringA(domain, "iteration");
	other = nvtxDomainRegisterStringW(domain, L"forward of a layer");
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context))
		return 1;
	for (int i = 0; i < atoi(argv[2]); i++) {
		snprintf(name, sizeof(name), "iteration %d", i);
		call();
		work(kept);
	}
	return 0;
}
