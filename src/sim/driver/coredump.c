/* Settings of core dumps, which are kept and told, one for all contexts; no
 * dump is ever written. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "entries.h"

enum { TEXT_ROOM = 1024 };

static bool switches[CU_COREDUMP_MAX] = {[CU_COREDUMP_TRIGGER_HOST] = true};
static char texts[CU_COREDUMP_MAX][TEXT_ROOM];
static int flags;

static bool is_text(CUcoredumpSettings what)
{
	return what == CU_COREDUMP_FILE || what == CU_COREDUMP_PIPE;
}

/* The setting's place, and the bytes that it has; NULL if there is none. */
static void *place_of(CUcoredumpSettings what, size_t *room)
{
	if (what < CU_COREDUMP_ENABLE_ON_EXCEPTION || what >= CU_COREDUMP_MAX)
		return NULL;
	if (is_text(what)) {
		*room = TEXT_ROOM;
		return texts[what];
	}
	if (what == CU_COREDUMP_GENERATION_FLAGS) {
		*room = sizeof(flags);
		return &flags;
	}
	*room = sizeof(bool);
	return &switches[what];
}

static void default_text(CUcoredumpSettings what)
{
	char host[256] = "";

	if (!is_text(what) || *texts[what])
		return;
	gethostname(host, sizeof(host) - 1);
	snprintf(texts[what], TEXT_ROOM, "%s.cuda.%s.%d",
		 what == CU_COREDUMP_FILE ? "core" : "corepipe", host,
		 (int)getpid());
}

CUresult sim_cuCoredumpGetAttributeGlobal(CUcoredumpSettings what, void *value,
					  size_t *size)
{
	size_t room;
	void *from = place_of(what, &room);

	if (!from || !size)
		return CUDA_ERROR_INVALID_VALUE;
	default_text(what);
	if (!value) {
		*size = room;
		return CUDA_SUCCESS;
	}
	if (is_text(what))
		room = strlen(from) + 1;
	if (*size < room)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(value, from, room);
	return CUDA_SUCCESS;
}

CUresult sim_cuCoredumpSetAttributeGlobal(CUcoredumpSettings what, void *value,
					  size_t *size)
{
	size_t room;
	void *to = place_of(what, &room);

	if (!to || !size)
		return CUDA_ERROR_INVALID_VALUE;
	if (!value) {
		*size = room;
		return CUDA_SUCCESS;
	}
	if (is_text(what)) {
		room = strnlen(value, *size);
		if (room >= TEXT_ROOM)
			return CUDA_ERROR_INVALID_VALUE;
		memset(to, 0, TEXT_ROOM);
	} else if (*size < room) {
		return CUDA_ERROR_INVALID_VALUE;
	}
	memcpy(to, value, room);
	return CUDA_SUCCESS;
}

CUresult sim_cuCoredumpGetAttribute(CUcoredumpSettings what, void *value,
				    size_t *size)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	return res ? res : sim_cuCoredumpGetAttributeGlobal(what, value, size);
}

/* The pipe belongs to the process. */
CUresult sim_cuCoredumpSetAttribute(CUcoredumpSettings what, void *value,
				    size_t *size)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res && (what == CU_COREDUMP_ENABLE_USER_TRIGGER ||
		     what == CU_COREDUMP_PIPE))
		res = CUDA_ERROR_NOT_SUPPORTED;
	return res ? res : sim_cuCoredumpSetAttributeGlobal(what, value, size);
}
