#include "stream_past.h"

#include "context/context.h"
#include "epoch.h"
#include "legacy.h"
#include "stream_order.h"
#include "stream_table.h"
#include "streams.h"

_Atomic uint64_t streams_over[STREAM_NUMBERS];

/* By numbers, of the stream that is behind and of the other. */
static _Atomic uint64_t behind[STREAM_NUMBERS][STREAM_NUMBERS];

const uint64_t *stream_behind(unsigned int number)
{
	return number ? (const uint64_t *)behind[number] : NULL;
}

/* By numbers, of the legacy stream and of the other: UINT64_MAX or 0. */
static _Atomic uint64_t passed[STREAM_NUMBERS][STREAM_NUMBERS];

const uint64_t *stream_passed(unsigned int legacy)
{
	return legacy ? (const uint64_t *)passed[legacy] : NULL;
}

void past_waits(unsigned int legacy, unsigned int number, bool waits)
{
	atomic_store(&passed[legacy][number], waits ? UINT64_MAX : 0);
}

/* The epochs of another device say nothing of this one's. */
void stream_past_clear(unsigned int number)
{
	for (int i = 0; i < STREAM_NUMBERS; i++) {
		atomic_store(&behind[number][i], 0);
		atomic_store(&behind[i][number], 0);
		atomic_store(&passed[number][i], 0);
	}
	atomic_store(&streams_over[number], 0);
}

static void past_add(struct stream_past *past, unsigned int number,
		     uint64_t epoch)
{
	if (!epoch || past->count == PAST_MAX)
		return;
	past->of[past->count].number = number;
	past->of[past->count].serial = streams_serial(number);
	past->of[past->count++].epoch = epoch;
}

/* What was freed in the stream itself by now. The epoch ends first, as with
 * fences: what is freed from then on is in the next one. If others wait for a
 * legacy stream, a free in it counts once its mark is set. */
static uint64_t past_own(struct context *context, unsigned int number,
			 uintptr_t key)
{
	if (key == SOLE_LEGACY && legacy_is_joined(context))
		return atomic_load(&behind[number][number]);
	return epoch_next(context->device);
}

void past_take(struct stream_past *past, struct context *context,
	       struct CUstream_st *stream, bool per_thread)
{
	unsigned int number = streams_find(stream, per_thread, &context);

	past->count = 0;
	if (!number)
		return;
	past_add(past, number,
		 past_own(context, number,
			  stream_order_key(stream, per_thread)));
	for (unsigned int i = 1; i < streams_end(); i++)
		if (i != number)
			past_add(past, i, atomic_load(&behind[number][i]));
}

/* Raises what is known of the streams of a past. */
static void past_note(const struct stream_past *past, _Atomic uint64_t *known)
{
	for (int i = 0; i < past->count; i++)
		if (streams_serial(past->of[i].number) == past->of[i].serial)
			epoch_raise(&known[past->of[i].number],
				    past->of[i].epoch);
}

void past_joins(const struct stream_past *past, unsigned int number)
{
	past_note(past, behind[number]);
}

void past_is_over(const struct stream_past *past)
{
	past_note(past, streams_over);
}

void past_pass_legacy(const struct context *context, unsigned int legacy,
		      uint64_t others, uint64_t own)
{
	for (unsigned int i = 1; i < streams_end(); i++)
		if (streams_wait_for_legacy(i) && streams_context(i) == context)
			epoch_raise(&behind[legacy][i], others);
	epoch_raise(&behind[legacy][legacy], own);
}

void past_row_take(uint64_t row[STREAM_NUMBERS], unsigned int number)
{
	for (unsigned int i = 1; i < streams_end(); i++)
		row[i] = atomic_load(&behind[number][i]);
}

void past_row_join(const uint64_t row[STREAM_NUMBERS], unsigned int end,
		   unsigned int number)
{
	for (unsigned int i = 1; i < end; i++)
		epoch_raise(&behind[number][i], row[i]);
}

void stream_past_take(struct stream_past *past, struct CUstream_st *stream,
		      bool per_thread)
{
	struct context *context;

	past->count = 0;
	if (!streams_are_used())
		return;
	context = stream_place(stream);
	streams_lock();
	past_take(past, context, stream, per_thread);
	streams_unlock();
}

void stream_past_is_over(const struct stream_past *past)
{
	if (!past->count)
		return;
	streams_lock();
	past_is_over(past);
	streams_unlock();
}
