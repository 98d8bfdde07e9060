/* Rows padded to a pitch: cudaMallocPitch, cudaMalloc3D and cuMemAllocPitch.
 * CUDA decides which pitch a width gets. It serves the first request for a
 * width itself, which tells the pitch; a later one gets a plain block of that
 * many bytes for each of its rows. */
#include <pthread.h>
#include <stdlib.h>

#include <uthash.h>

#include "call.h"
#include "context/context.h"
#include "control/control.h"
#include "hook.h"
#include "mem/mem.h"
#include "room_of.h"
#include "foreign_call.h"
#include "record/site.h"

enum { PITCHES_MAX = 4096 };

struct pitch_name {
	uint64_t ordinal, width, element;
};

struct pitch {
	struct pitch_name name; /* the hash's key */
	size_t bytes;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pitch *pitches; /* under lock */

/* Returns 0 if the pitch is not known. */
static size_t pitch_find(const struct pitch_name *name)
{
	struct pitch *pitch;

	pthread_mutex_lock(&lock);
	/* NOLINTNEXTLINE(*-core.*): uthash sets pitch */
	HASH_FIND(hh, pitches, name, sizeof(*name), pitch);
	pthread_mutex_unlock(&lock);
	return pitch ? pitch->bytes : 0;
}

static void pitch_learn(const struct pitch_name *name, size_t bytes)
{
	struct pitch *pitch = calloc(1, sizeof(*pitch)), *known;

	if (!pitch)
		return;
	pitch->name = *name;
	pitch->bytes = bytes;
	pthread_mutex_lock(&lock);
	HASH_FIND(hh, pitches, name, sizeof(*name), known);
	if (!known && HASH_COUNT(pitches) < PITCHES_MAX)
		HASH_ADD(hh, pitches, name, sizeof(*name), pitch);
	if (!pitch->hh.tbl)
		free(pitch);
	/* NOLINTNEXTLINE(*-unix.Malloc): the table has it */
	pthread_mutex_unlock(&lock);
}

/* Returns false if the request is not for us. */
static bool pitched_served(CUdeviceptr *out, size_t *pitch, size_t known,
			   size_t rows, CUresult *result)
{
	uint64_t addr;
	int res;

	if (!known || rows > SIZE_MAX / known ||
	    mem_alloc(&addr, known * rows, &res) != MEM_DONE)
		return false;
	control_open_once();
	*out = res ? 0 : addr; /* CUDA, too, tells the pitch in any case */
	*pitch = known;
	*result = (CUresult)res;
	return true;
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch,
				   size_t width, size_t rows,
				   unsigned int element)
{
	NOTES_BEHIND(room_product(width, rows));
	struct context *context = mem_enabled() && out && pitch && width && rows
					  ? context_current()
					  : NULL;
	struct pitch_name name = {0, width, element};
	struct foreign_claim order;
	CUresult res;

	if (context) {
		name.ordinal = (uint64_t)device_ordinal(context->device);
		if (pitched_served(out, pitch, pitch_find(&name), rows, &res))
			return res;
	}
	if (!foreign_begin(&order, CURRENT, context ? out : NULL,
			   room_product(width, rows))) {
		if (out)
			*out = 0;
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	res = ROOM_CALL(cuMemAllocPitch_v2, out, pitch, width, rows, element);
	if (!res && context)
		pitch_learn(&name, *pitch);
	return foreign_end(&order, res, FOREIGN_PITCHED, out,
			   res || !pitch ? 0 : *pitch * rows);
}
