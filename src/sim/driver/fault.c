#include "fault.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "entries.h"
#include "names.h"
#include "thread.h"
#include "world.h"

enum { FAULT_MAX = 64 };

struct fault {
	unsigned id;
	unsigned long nth;
	bool onwards;
	CUresult code;
};

struct faults {
	struct fault list[FAULT_MAX];
	unsigned count;
};

static struct faults early; /* returned in place of the call */
static struct faults late;  /* returned when the call is done */
static struct fault loss;   /* nth is 0 when there is none */
static int lost;            /* a code once the device is lost, or 0 */
static struct need {
	unsigned id;
	unsigned long bytes;
	int device; /* -1 for the current context's */
} needs[FAULT_MAX];
static unsigned need_count;
static bool hidden[CALL_COUNT];
static bool hiding;

static bool name_find(const char *name, size_t len, unsigned *id)
{
	for (unsigned i = 0; i < CALL_COUNT; i++) {
		const char *known = call_names[i].name;

		if (strlen(known) == len && !memcmp(known, name, len)) {
			*id = i;
			return true;
		}
	}
	return false;
}

static bool number_read(const char **text, unsigned long *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoul(*text, &end, 10);
	*text = end;
	return !errno;
}

/* Reads one NAME:N[+]:CODE up to `end`. */
static bool fault_read(const char *text, const char *end, struct fault *fault)
{
	const char *colon = memchr(text, ':', end - text);
	unsigned long code;

	if (!colon || !name_find(text, colon - text, &fault->id))
		return false;
	text = colon + 1;
	if (!number_read(&text, &fault->nth) || !fault->nth)
		return false;
	fault->onwards = *text == '+';
	text += fault->onwards;
	if (*text++ != ':' || !number_read(&text, &code) || !code ||
	    code > INT_MAX)
		return false;
	fault->code = (CUresult)code;
	return text == end;
}

static bool faults_add(struct faults *faults, const char *text, const char *end)
{
	if (faults->count == FAULT_MAX ||
	    !fault_read(text, end, &faults->list[faults->count]))
		return false;
	faults->count++;
	return true;
}

static bool fail_add(const char *text, const char *end)
{
	return faults_add(&early, text, end);
}

static bool late_add(const char *text, const char *end)
{
	return faults_add(&late, text, end);
}

static bool loss_add(const char *text, const char *end)
{
	struct fault fault;

	if (loss.nth || !fault_read(text, end, &fault) || fault.onwards)
		return false;
	loss = fault;
	return true;
}

static bool bytes_read(const char **text, unsigned long *bytes)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	int shift = 0;

	if (!number_read(text, bytes))
		return false;
	suffix = **text ? strchr(suffixes, **text) : NULL;
	if (suffix) {
		shift = 10 * (int)(suffix - suffixes + 1);
		++*text;
	}
	if (*bytes > ULONG_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

/* Reads one NAME:BYTES[:DEVICE]. */
static bool need_add(const char *text, const char *end)
{
	const char *colon = memchr(text, ':', end - text);
	struct need *need = &needs[need_count];
	unsigned long device;

	if (need_count == FAULT_MAX || !colon ||
	    !name_find(text, colon - text, &need->id))
		return false;
	text = colon + 1;
	if (!bytes_read(&text, &need->bytes))
		return false;
	need->device = -1;
	if (*text == ':') {
		text++;
		if (!number_read(&text, &device) || device > 63)
			return false;
		need->device = (int)device;
	}
	need_count += text == end;
	return text == end;
}

static bool hidden_add(const char *text, const char *end)
{
	unsigned id;

	if (!name_find(text, end - text, &id))
		return false;
	hidden[id] = hiding = true;
	return true;
}

/* Hands each part of a list to add(). Commas separate the parts. */
static void list_read(const char *variable, const char *wanted,
		      bool (*add)(const char *text, const char *end))
{
	const char *text = getenv(variable);

	while (text && *text) {
		const char *end = strchrnul(text, ',');

		if (!add(text, end))
			fprintf(stderr,
				"mnm-sim: %s: ignored \"%.*s\", want %s\n",
				variable, (int)(end - text), text, wanted);
		text = *end ? end + 1 : end;
	}
}

void fault_open(void)
{
	list_read("MNM_SIM_FAIL", "NAME:N[+]:CODE", fail_add);
	list_read("MNM_SIM_LATE", "NAME:N[+]:CODE", late_add);
	list_read("MNM_SIM_LOST", "one NAME:N:CODE", loss_add);
	list_read("MNM_SIM_NEED", "NAME:BYTES[:DEVICE]", need_add);
	list_read("MNM_SIM_HIDE", "NAME", hidden_add);
}

static bool is_short(const struct need *need)
{
	int ordinal = need->device;
	const struct arena *arena;

	if (ordinal < 0)
		ordinal = self.current ? self.current->dev->ordinal : 0;
	if (ordinal >= world.device_count)
		return false;
	arena = &world.devices[ordinal].arena;
	return arena->capacity - arena_used(arena) < need->bytes;
}

CUresult fault_short(unsigned id)
{
	for (unsigned i = 0; i < need_count; i++)
		if (needs[i].id == id && is_short(&needs[i]))
			return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

/* Whether a call fails when the device is lost: those that only tell about
 * contexts and devices still work. */
static bool needs_device(const char *name)
{
	if (!strncmp(name, "cuCtxSynchronize", strlen("cuCtxSynchronize")) ||
	    !strcmp(name, "cuCtxRecordEvent") ||
	    !strcmp(name, "cuCtxWaitEvent"))
		return true;
	return strncmp(name, "cuCtx", 5) && strncmp(name, "cuDevice", 8) &&
	       strncmp(name, "cuGet", 5) && strcmp(name, "cuInit") &&
	       strcmp(name, "cuDriverGetVersion") &&
	       strcmp(name, "cuThreadExchangeStreamCaptureMode");
}

static CUresult faults_find(const struct faults *faults, unsigned id,
			    unsigned long nth)
{
	for (unsigned i = 0; i < faults->count; i++) {
		const struct fault *fault = &faults->list[i];

		if (fault->id == id &&
		    (fault->nth == nth || (fault->onwards && nth > fault->nth)))
			return fault->code;
	}
	return CUDA_SUCCESS;
}

CUresult fault_find_late(unsigned id, unsigned long nth)
{
	return faults_find(&late, id, nth);
}

void fault_lose(CUresult code)
{
	int none = 0;

	__atomic_compare_exchange_n(&lost, &none, (int)code, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

CUresult fault_lost(unsigned id)
{
	int code = __atomic_load_n(&lost, __ATOMIC_RELAXED);

	return code && needs_device(call_names[id].name) ? (CUresult)code
							 : CUDA_SUCCESS;
}

bool fault_is_lost(void)
{
	return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

CUresult fault_find(unsigned id, unsigned long nth)
{
	if (loss.nth && id == loss.id && nth >= loss.nth) {
		fault_lose(loss.code);
		return loss.code;
	}
	return faults_find(&early, id, nth);
}

int fault_any(void)
{
	return early.count || late.count || loss.nth || hiding || need_count;
}

int fault_hides(unsigned id)
{
	return hidden[id];
}
