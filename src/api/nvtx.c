/* What NVTX calls in the library that NVTX_INJECTION64_PATH names, so that
 * ranges tell where iterations begin (option iteration), and are recorded. If
 * the variable named a tool before, that is asked as NVTX would have asked it,
 * and hears of all that it wants to hear of.
 *
 * Each shared object that is built with NVTX has functions of its own to be set
 * up, at its first call. */
#include "api.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/option.h"
#include "mem/config.h"
#include "heap/noted.h"
#include "mem/iteration.h"
#include "nvtx_names.h"
#include "preload/loader.h"
#include "record/ring.h"

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

enum call {
	PUSH_A,
	PUSH_W,
	PUSH,
	POP,
	START_A,
	START_W,
	START,
	END,
	MARK_A,
	MARK_W,
	MARK,
	DOMAIN_PUSH,
	DOMAIN_POP,
	DOMAIN_START,
	DOMAIN_END,
	DOMAIN_MARK,
	CREATE_A,
	CREATE_W,
	REGISTER_A,
	REGISTER_W,
	CALLS
};

/* The tool's functions; NULL: it has none, or there is no tool. Each is known
 * from the first shared object on. */
static NvtxFunctionPointer _Atomic behind[CALLS];
static _Atomic bool known[CALLS];

static struct nvtx_handles strings, domains;

/* Whether somebody wants to know of ranges now. */
static bool is_heard(void)
{
	return record_is_on() || iterations_are_named();
}

/* Of a range that starts without a tool, which would number it. */
static nvtxRangeId_t number_next(void)
{
	static _Atomic nvtxRangeId_t last;

	return record_is_on() ? atomic_fetch_add(&last, 1) + 1 : 0;
}

/* What an event of that kind says; room: where names become UTF-8. */
static const char *text_plain(const char *text, char *room)
{
	(void)room;
	return text;
}

static const char *text_of(const nvtxEventAttributes_t *event, char *room)
{
	if (!event || event->size < sizeof(*event))
		return NULL;
	switch (event->messageType) {
	case NVTX_MESSAGE_TYPE_ASCII:
		return event->message.ascii;
	case NVTX_MESSAGE_TYPE_UNICODE:
		return nvtx_name_narrow(event->message.unicode, room);
	case NVTX_MESSAGE_TYPE_REGISTERED:
		return nvtx_handle_name(&strings, event->message.registered);
	default:
		return NULL;
	}
}

/* Something with that name begins, or is marked. A range without a name is
 * one, too: its end has to find it. */
static void note_begin(enum mnm_record_kind kind, uint64_t number,
		       nvtxDomainHandle_t domain, const char *name)
{
	if (!config_once())
		return;
	if (name && kind != MNM_RECORD_POINT && iteration_is_named(name))
		iteration_begin();
	noted_range(kind, number, nvtx_handle_name(&domains, domain),
		    name ? name : "");
}

static void note_end(enum mnm_record_kind kind, uint64_t number)
{
	if (number || kind == MNM_RECORD_POP)
		noted_range(kind, number, NULL, NULL);
}

/* Each function calls the tool's, and then makes its note. `none`: what it
 * returns without a tool, as NVTX does. */
#define FUNCTION(call, name, result, none, parameters, arguments, note) \
	static result NVTX_API name parameters \
	{ \
		result(NVTX_API *next) parameters = \
			(result(NVTX_API *) parameters)behind[call]; \
		result answer = next ? next arguments : (none); \
		int saved = errno; \
\
		if (is_heard()) \
			note; \
		errno = saved; \
		return answer; \
	}
#define SILENT(call, name, parameters, arguments, note) \
	static void NVTX_API name parameters \
	{ \
		void(NVTX_API * next) parameters = \
			(void(NVTX_API *) parameters)behind[call]; \
		int saved; \
\
		if (next) \
			next arguments; \
		saved = errno; \
		if (is_heard()) \
			note; \
		errno = saved; \
	}

/* `said`: the function that yields an event's name. */
#define BEGIN(kind, number, domain, said) \
	note_begin(MNM_RECORD_##kind, (uint64_t)(number), domain, \
		   said(text, (char[NVTX_NAME_SIZE]){""}))
#define PUSHES(call, name, type, said) \
	FUNCTION(call, name, int, NVTX_NO_PUSH_POP_TRACKING, (type text), \
		 (text), BEGIN(PUSH, 0, NULL, said))
#define STARTS(call, name, type, said) \
	FUNCTION(call, name, nvtxRangeId_t, number_next(), (type text), \
		 (text), BEGIN(START, answer, NULL, said))
#define MARKS(call, name, type, said) \
	SILENT(call, name, (type text), (text), BEGIN(POINT, 0, NULL, said))

PUSHES(PUSH_A, push_a, const char *, text_plain)
PUSHES(PUSH_W, push_w, const wchar_t *, nvtx_name_narrow)
PUSHES(PUSH, push, const nvtxEventAttributes_t *, text_of)
STARTS(START_A, start_a, const char *, text_plain)
STARTS(START_W, start_w, const wchar_t *, nvtx_name_narrow)
STARTS(START, start, const nvtxEventAttributes_t *, text_of)
MARKS(MARK_A, mark_a, const char *, text_plain)
MARKS(MARK_W, mark_w, const wchar_t *, nvtx_name_narrow)
MARKS(MARK, mark, const nvtxEventAttributes_t *, text_of)
FUNCTION(POP, pop, int, NVTX_NO_PUSH_POP_TRACKING, (void), (),
	 note_end(MNM_RECORD_POP, 0))
SILENT(END, end, (nvtxRangeId_t id), (id), note_end(MNM_RECORD_STOP, id))

FUNCTION(DOMAIN_PUSH, domain_push, int, NVTX_NO_PUSH_POP_TRACKING,
	 (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *text),
	 (domain, text), BEGIN(PUSH, (uintptr_t)domain, domain, text_of))
FUNCTION(DOMAIN_POP, domain_pop, int, NVTX_NO_PUSH_POP_TRACKING,
	 (nvtxDomainHandle_t domain), (domain),
	 note_end(MNM_RECORD_POP, (uintptr_t)domain))
FUNCTION(DOMAIN_START, domain_start, nvtxRangeId_t, number_next(),
	 (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *text),
	 (domain, text), BEGIN(START, answer, domain, text_of))
SILENT(DOMAIN_END, domain_end, (nvtxDomainHandle_t domain, nvtxRangeId_t id),
       (domain, id), note_end(MNM_RECORD_STOP, id))
SILENT(DOMAIN_MARK, domain_mark,
       (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *text),
       (domain, text), BEGIN(POINT, (uintptr_t)domain, domain, text_of))

/* Functions that give handles to names: without a tool, ours. */
#define GIVES(call, name, handle, table, said, parameters, arguments) \
	static handle NVTX_API name parameters \
	{ \
		handle(NVTX_API *next) parameters = \
			(handle(NVTX_API *) parameters)behind[call]; \
		char room[NVTX_NAME_SIZE]; \
		const char *narrow = said(text, room); \
\
		return next ? nvtx_handle_note(table, next arguments, narrow) \
			    : (handle)nvtx_handle_own(narrow); \
	}
#define GIVES_STRING(call, name, type, said) \
	GIVES(call, name, nvtxStringHandle_t, &strings, said, \
	      (nvtxDomainHandle_t domain, type text), (domain, text))

GIVES_STRING(REGISTER_A, register_a, const char *, text_plain)
GIVES_STRING(REGISTER_W, register_w, const wchar_t *, nvtx_name_narrow)
GIVES(CREATE_A, create_a, nvtxDomainHandle_t, &domains, text_plain,
      (const char *text), (text))
GIVES(CREATE_W, create_w, nvtxDomainHandle_t, &domains, nvtx_name_narrow,
      (const wchar_t *text), (text))

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
	[POP] = ROW(CORE, RangePop, pop),
	[START_A] = ROW(CORE, RangeStartA, start_a),
	[START_W] = ROW(CORE, RangeStartW, start_w),
	[START] = ROW(CORE, RangeStartEx, start),
	[END] = ROW(CORE, RangeEnd, end),
	[MARK_A] = ROW(CORE, MarkA, mark_a),
	[MARK_W] = ROW(CORE, MarkW, mark_w),
	[MARK] = ROW(CORE, MarkEx, mark),
	[DOMAIN_PUSH] = ROW(CORE2, DomainRangePushEx, domain_push),
	[DOMAIN_POP] = ROW(CORE2, DomainRangePop, domain_pop),
	[DOMAIN_START] = ROW(CORE2, DomainRangeStartEx, domain_start),
	[DOMAIN_END] = ROW(CORE2, DomainRangeEnd, domain_end),
	[DOMAIN_MARK] = ROW(CORE2, DomainMarkEx, domain_mark),
	[CREATE_A] = ROW(CORE2, DomainCreateA, create_a),
	[CREATE_W] = ROW(CORE2, DomainCreateW, create_w),
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
	    !api_serves(&unused) ||
	    (!iterations_are_named() && !*config_current()->record))
		return tool ? tool(tables) : 0;
	if (calls_take(tables, callbacks, tool))
		return 1;
	if (!atomic_exchange(&said, true))
		log_warn("the NVTX tool behind mnm has failed, so no range is "
			 "heard of");
	return 0;
}

#endif
