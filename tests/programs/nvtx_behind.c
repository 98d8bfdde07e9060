/* A tool that NVTX injects, for ranges. At its end it writes to the file that
 * NVTX_TOOL_REPORT names how many began, and how many names were registered.
 * With NVTX_TOOL_FAILS it refuses to serve. */
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int ranges, ends, strings, domains;

static int NVTX_API range_push(const char *name)
{
	(void)name;
	return ranges++;
}

static int NVTX_API range_pop(void)
{
	return ends++;
}

static int NVTX_API domain_range_push(nvtxDomainHandle_t domain,
				      const nvtxEventAttributes_t *event)
{
	(void)domain, (void)event;
	return ranges++;
}

static int NVTX_API domain_range_pop(nvtxDomainHandle_t domain)
{
	(void)domain;
	return ends++;
}

static nvtxStringHandle_t NVTX_API string_register(nvtxDomainHandle_t domain,
						   const char *text)
{
	(void)domain, (void)text;
	return (nvtxStringHandle_t)(intptr_t)++strings;
}

static nvtxStringHandle_t NVTX_API wide_register(nvtxDomainHandle_t domain,
						 const wchar_t *text)
{
	(void)domain, (void)text;
	return (nvtxStringHandle_t)(intptr_t)++strings;
}

static nvtxDomainHandle_t NVTX_API domain_create(const char *name)
{
	(void)name;
	return (nvtxDomainHandle_t)(intptr_t)++domains;
}

static void call_set(const NvtxExportTableCallbacks *callbacks,
		     NvtxCallbackModule module, unsigned int id,
		     NvtxFunctionPointer function)
{
	NvtxFunctionTable table;
	unsigned int size;

	if (!callbacks->GetModuleFunctionTable(module, &table, &size) ||
	    id >= size)
		abort();
	*table[id] = function;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
	NvtxGetExportTableFunc_t tables);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables)
{
	const NvtxExportTableCallbacks *callbacks = tables(NVTX_ETID_CALLBACKS);

	if (getenv("NVTX_TOOL_FAILS"))
		return 0;
	call_set(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA,
		 (NvtxFunctionPointer)range_push);
	call_set(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePop,
		 (NvtxFunctionPointer)range_pop);
	call_set(callbacks, NVTX_CB_MODULE_CORE2,
		 NVTX_CBID_CORE2_DomainRangePushEx,
		 (NvtxFunctionPointer)domain_range_push);
	call_set(callbacks, NVTX_CB_MODULE_CORE2,
		 NVTX_CBID_CORE2_DomainRangePop,
		 (NvtxFunctionPointer)domain_range_pop);
	call_set(callbacks, NVTX_CB_MODULE_CORE2,
		 NVTX_CBID_CORE2_DomainRegisterStringA,
		 (NvtxFunctionPointer)string_register);
	call_set(callbacks, NVTX_CB_MODULE_CORE2,
		 NVTX_CBID_CORE2_DomainRegisterStringW,
		 (NvtxFunctionPointer)wide_register);
	call_set(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA,
		 (NvtxFunctionPointer)domain_create);
	return 1;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("NVTX_TOOL_REPORT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "{\"ranges\": %d, \"ends\": %d, \"strings\": %d}\n",
		ranges, ends, strings);
	fclose(file);
}
