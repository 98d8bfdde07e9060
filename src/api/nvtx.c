/* What NVTX calls in the library that NVTX_INJECTION64_PATH names, so that
 * ranges tell where iterations begin (option iteration). If the variable named
 * a tool before, that is asked as NVTX would have asked it, and hears of all
 * that it wants to hear of.
 *
 * Each shared object that is built with NVTX has functions of its own to be set
 * up, at its first call. */
#include "api.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#include "common/log.h"
#include "common/option.h"
#include "mem/config.h"
#include "mem/iteration.h"
#include "preload/loader.h"

#include "cuda/nvtx.h"

/* The function of that name in the tool behind us, or NULL. */
static void *behind_find(const char *name, const void *ours)
{
	const char *path = secure_getenv(NVTX_BEHIND);
	void *tool = path && *path ? loader_open(path, RTLD_LAZY) : NULL;
	void *found = tool ? dlsym_behind()(tool, name) : NULL;

	return found == ours ? NULL : found;
}

/* NVTX's extensions, such as that for memory, are the tool's alone. */
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
	void *module);

int InitializeInjectionNvtxExtension(void *module)
{
	int (*behind)(void *) = (int (*)(void *))behind_find(
		"InitializeInjectionNvtxExtension",
		(const void *)InitializeInjectionNvtxExtension);

	return behind ? behind(module) : 0;
}

#ifdef HAS_NVTX

enum {
	NAME_SIZE = 512,    /* bytes of a name that are looked at */
	HANDLES_MOST = 256, /* of registered names that match */
};

enum call {
	PUSH_A,
	PUSH_W,
	PUSH,
	START_A,
	START_W,
	START,
	DOMAIN_PUSH,
	DOMAIN_START,
	REGISTER_A,
	REGISTER_W,
	CALLS
};

/* The tool's functions; NULL: it has none, or there is no tool. Each is known
 * from the first shared object on. */
static NvtxFunctionPointer _Atomic behind[CALLS];
static _Atomic bool known[CALLS];

/* The handles that the tool gave to registered names that match. */
static _Atomic(nvtxStringHandle_t) handles[HANDLES_MOST];

/* That of all such names, if no tool gives handles. */
static char some_name;

static bool is_some_name(nvtxStringHandle_t handle)
{
	return (const char *)handle == &some_name;
}

static bool name_matches(const char *name)
{
	return name && config_once() && iteration_is_named(name);
}

/* A name of wide characters as UTF-8, cut off if it is long. */
static const char *name_narrow(const wchar_t *wide, char *name)
{
	char *at = name;

	while (wide && *wide && at < name + NAME_SIZE - 5) {
		uint32_t c = (uint32_t)*wide++;
		int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
		static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};

		*at++ = (char)(leads[more] | (c >> (6 * more)));
		while (more--)
			*at++ = (char)(0x80 | ((c >> (6 * more)) & 0x3f));
	}
	*at = '\0';
	return wide ? name : NULL;
}

static bool wide_matches(const wchar_t *wide)
{
	char name[NAME_SIZE];

	return name_matches(name_narrow(wide, name));
}

static bool handle_matches(nvtxStringHandle_t handle)
{
	if (is_some_name(handle))
		return true;
	for (int i = 0; handle && i < HANDLES_MOST; i++) {
		nvtxStringHandle_t found =
			atomic_load_explicit(&handles[i], memory_order_relaxed);

		if (!found || found == handle)
			return found;
	}
	return false;
}

static bool event_matches(const nvtxEventAttributes_t *event)
{
	if (!event || event->size < sizeof(*event))
		return false;
	switch (event->messageType) {
	case NVTX_MESSAGE_TYPE_ASCII:
		return name_matches(event->message.ascii);
	case NVTX_MESSAGE_TYPE_UNICODE:
		return wide_matches(event->message.unicode);
	case NVTX_MESSAGE_TYPE_REGISTERED:
		return handle_matches(event->message.registered);
	default:
		return false;
	}
}

/* A range begins. */
static void range_look(bool matches)
{
	if (matches && config_once())
		iteration_begin();
}

/* Notes whether a registered name matches. Without a tool the handle is ours.
 */
static nvtxStringHandle_t handle_note(nvtxStringHandle_t handle, bool matches,
				      bool tool)
{
	nvtxStringHandle_t free = NULL;

	if (!tool)
		return matches ? (nvtxStringHandle_t)(void *)&some_name : NULL;
	if (!matches || !handle || handle_matches(handle))
		return handle;
	for (int i = 0; i < HANDLES_MOST; i++, free = NULL)
		if (atomic_compare_exchange_strong(&handles[i], &free, handle))
			return handle;
	return handle;
}

/* Defines a function that looks at a range, and calls the tool's. `none`: what
 * it returns without a tool, as NVTX does. */
#define RANGE(call, name, result, none, matches, parameters, arguments) \
	static result NVTX_API name parameters \
	{ \
		result(NVTX_API *next) parameters = \
			(result(NVTX_API *) parameters)behind[call]; \
		int saved = errno; \
\
		range_look(matches); \
		errno = saved; \
		return next ? next arguments : (none); \
	}

#define NAMED(call, name, result, none, type, matches) \
	RANGE(call, name, result, none, matches(text), (type text), (text))

#define IN_DOMAIN(call, name, result, none) \
	RANGE(call, name, result, none, event_matches(event), \
	      (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), \
	      (domain, event))

NAMED(PUSH_A, push_a, int, NVTX_NO_PUSH_POP_TRACKING, const char *,
      name_matches)
NAMED(PUSH_W, push_w, int, NVTX_NO_PUSH_POP_TRACKING, const wchar_t *,
      wide_matches)
NAMED(PUSH, push, int, NVTX_NO_PUSH_POP_TRACKING, const nvtxEventAttributes_t *,
      event_matches)
NAMED(START_A, start_a, nvtxRangeId_t, 0, const char *, name_matches)
NAMED(START_W, start_w, nvtxRangeId_t, 0, const wchar_t *, wide_matches)
NAMED(START, start, nvtxRangeId_t, 0, const nvtxEventAttributes_t *,
      event_matches)
IN_DOMAIN(DOMAIN_PUSH, domain_push, int, NVTX_NO_PUSH_POP_TRACKING)
IN_DOMAIN(DOMAIN_START, domain_start, nvtxRangeId_t, 0)

static nvtxStringHandle_t NVTX_API register_a(nvtxDomainHandle_t domain,
					      const char *text)
{
	nvtxDomainRegisterStringA_impl_fntype next =
		(nvtxDomainRegisterStringA_impl_fntype)behind[REGISTER_A];

	return handle_note(next ? next(domain, text) : NULL, name_matches(text),
			   next);
}

static nvtxStringHandle_t NVTX_API register_w(nvtxDomainHandle_t domain,
					      const wchar_t *text)
{
	nvtxDomainRegisterStringW_impl_fntype next =
		(nvtxDomainRegisterStringW_impl_fntype)behind[REGISTER_W];

	return handle_note(next ? next(domain, text) : NULL, wide_matches(text),
			   next);
}

static const struct row {
	NvtxCallbackModule module;
	unsigned int id;
	NvtxFunctionPointer ours;
} rows[CALLS] = {
#define ROW(module, id, ours) \
	{ \
		NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##id, \
			(NvtxFunctionPointer)(ours) \
	}
	[PUSH_A] = ROW(CORE, RangePushA, push_a),
	[PUSH_W] = ROW(CORE, RangePushW, push_w),
	[PUSH] = ROW(CORE, RangePushEx, push),
	[START_A] = ROW(CORE, RangeStartA, start_a),
	[START_W] = ROW(CORE, RangeStartW, start_w),
	[START] = ROW(CORE, RangeStartEx, start),
	[DOMAIN_PUSH] = ROW(CORE2, DomainRangePushEx, domain_push),
	[DOMAIN_START] = ROW(CORE2, DomainRangeStartEx, domain_start),
	[REGISTER_A] = ROW(CORE2, DomainRegisterStringA, register_a),
	[REGISTER_W] = ROW(CORE2, DomainRegisterStringW, register_w),
#undef ROW
};

/* Where a shared object has the function of a row, or NULL. */
static NvtxFunctionPointer *place_of(const NvtxExportTableCallbacks *callbacks,
				     const struct row *row)
{
	NvtxFunctionTable table = NULL;
	unsigned int size = 0;

	return callbacks->GetModuleFunctionTable(row->module, &table, &size) &&
			       table && row->id < size
		       ? table[row->id]
		       : NULL;
}

/* Ours is called in place of `set`, the tool's. A tool that has another one for
 * this shared object keeps it: then there is no telling which to call. */
static void call_take(enum call call, NvtxFunctionPointer *place,
		      NvtxFunctionPointer set)
{
	NvtxFunctionPointer none = NULL;

	if (!known[call] &&
	    atomic_compare_exchange_strong(&behind[call], &none, set))
		known[call] = true;
	if (behind[call] == set)
		*place = rows[call].ours;
}

/* Lets the tool take what it wants, and then takes the ranges. Returns false if
 * the tool has failed: NVTX is to call nothing then. */
static bool calls_take(NvtxGetExportTableFunc_t tables,
		       const NvtxExportTableCallbacks *callbacks,
		       NvtxInitializeInjectionNvtxFunc_t tool)
{
	NvtxFunctionPointer *places[CALLS], before[CALLS], set;

	for (int i = 0; i < CALLS; i++) {
		places[i] = place_of(callbacks, &rows[i]);
		before[i] = places[i] ? *places[i] : NULL;
	}
	if (tool && !tool(tables))
		return false;
	for (int i = 0; i < CALLS; i++) {
		set = places[i] && *places[i] != before[i] ? *places[i] : NULL;
		if (places[i])
			call_take((enum call)i, places[i], set);
	}
	return true;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
	NvtxGetExportTableFunc_t tables);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables)
{
	NvtxInitializeInjectionNvtxFunc_t tool =
		(NvtxInitializeInjectionNvtxFunc_t)behind_find(
			"InitializeInjectionNvtx2",
			(const void *)InitializeInjectionNvtx2);
	const NvtxExportTableCallbacks *callbacks = tables(NVTX_ETID_CALLBACKS);
	static _Atomic bool said;
	CUresult unused;

	if (!callbacks || callbacks->struct_size < sizeof(*callbacks) ||
	    !api_serves(&unused) || !iterations_are_named())
		return tool ? tool(tables) : 0;
	if (calls_take(tables, callbacks, tool))
		return 1;
	if (!atomic_exchange(&said, true))
		log_warn("iteration: the NVTX tool behind mnm has failed, so "
			 "no range is heard of");
	return 0;
}

#endif
