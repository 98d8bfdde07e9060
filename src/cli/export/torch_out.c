/* A recording as the snapshot of PyTorch's allocator that its viewer reads,
 * https://pytorch.org/memory_viz, and torch/cuda/_memory_viz.py. */
#include "torch_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"

enum { PART = 1000 }; /* items of a list that are added at once */

/* An entry of a trace, but for its action, which was written. */
static void entry_put(struct torch_out *out,
		      const struct mnm_record_event *event, uint64_t size,
		      uint64_t span)
{
	uint64_t began = (uint64_t)(out->export->began * 1e6 + 0.5);

	if (event->kind != MNM_RECORD_FAILED)
		torch_number(out, WORD_addr, event->address);
	torch_number(out, WORD_size, size);
	if (span)
		torch_number(out, WORD_span, span);
	torch_number(out, WORD_stream, event->stream);
	torch_number(out, WORD_time_us, began + event->time / 1000);
	torch_frames(out, event);
	pickle_dict_end(out->to);
}

static void action_put(struct torch_out *out, enum torch_word action)
{
	pickle_dict(out->to);
	torch_word(out, WORD_action);
	torch_word(out, action);
}

static uint64_t gone_put(struct torch_out *out,
			 const struct mnm_record_event *event,
			 const struct live_block *block)
{
	for (int i = 0; i < 2; i++) {
		action_put(out, i ? WORD_free_completed : WORD_free_requested);
		entry_put(out, event, block->event.size, block->event.span);
	}
	return 2;
}

/* Writes the entries of an event. Returns how many there are. What was there
 * before the trace has none. */
static uint64_t event_put(struct torch_out *out,
			  const struct mnm_record_event *event,
			  const struct live_block *block)
{
	if (event->kind == MNM_RECORD_FAILED) {
		action_put(out, WORD_oom);
		pickle_text(out->to, "device_free");
		pickle_number(out->to, 0);
		entry_put(out, event, event->size, 0);
		return 1;
	}
	if (!block)
		return 0;
	if (event->kind == MNM_RECORD_FREE)
		return gone_put(out, event, block);
	torch_range_add(out, block);
	if (event->kind == MNM_RECORD_LIVE)
		return 0;
	action_put(out, WORD_alloc);
	entry_put(out, event, event->size, event->span);
	return 1;
}

/* Writes what an event is for that device. */
static uint64_t event_take(struct torch_out *out, struct live_blocks *live,
			   unsigned int device,
			   const struct mnm_record_event *event)
{
	const struct live_block *block;
	uint64_t written = 0;

	/* A free may not know its device, but its block does. */
	if (event->kind > MNM_RECORD_FAILED ||
	    (event->device != device && event->kind != MNM_RECORD_FREE))
		return 0;
	block = live_blocks_over(live, event);
	if (block) {
		struct mnm_record_event gone = *event;

		gone.kind = MNM_RECORD_FREE;
		gone.site = 0;
		written = gone_put(out, &gone, block);
	}
	block = live_blocks_turn(live, event);
	return written + event_put(out, event, block);
}

/* Looks through the recording: notes what it says of code, which may come later
 * than who calls from there. Returns how many devices there are. */
static unsigned int recording_look(const struct torch_out *out,
				   struct mnm_record *record)
{
	const struct mnm_record_event *event;
	unsigned int devices = 1;

	while ((event = mnm_record_next(record))) {
		symbols_note(out->export->symbols, event);
		if (event->kind <= MNM_RECORD_FAILED &&
		    event->device < MNM_RECORD_HOST && event->device >= devices)
			devices = event->device + 1u;
	}
	return devices;
}

/* The entries of a device's trace. Returns false if the recording can't be
 * read. */
static bool trace_put(struct torch_out *out, unsigned int device)
{
	char error[4352];
	struct mnm_record *record =
		mnm_record_open(out->export->path, error, sizeof(error));
	const struct mnm_record_event *event;
	uint64_t written = 0;

	if (!record)
		return !failure("%s", error);
	pickle_part(out->to);
	while (export_goes_on(out->export) &&
	       (event = mnm_record_next(record))) {
		written += event_take(out, &out->live[device], device, event);
		if (written >= PART) {
			pickle_part_end(out->to);
			pickle_part(out->to);
			written = 0;
		}
	}
	pickle_part_end(out->to);
	mnm_record_close(record);
	return true;
}

static bool traces_put(struct torch_out *out, unsigned int devices)
{
	bool read = true;

	pickle_text(out->to, "device_traces");
	pickle_list(out->to);
	pickle_part(out->to);
	for (unsigned int device = 0; device < devices && read; device++) {
		pickle_list(out->to);
		if (out->export->device < 0 ||
		    out->export->device == (int)device)
			read = trace_put(out, device);
	}
	pickle_part_end(out->to);
	return read;
}

static bool snapshot_put(struct torch_out *out, unsigned int devices)
{
	pickle_begin(out->to);
	pickle_dict(out->to);
	if (!traces_put(out, devices))
		return false;
	pickle_text(out->to, "segments");
	torch_segments(out);
	pickle_text(out->to, "allocator_settings");
	pickle_dict(out->to);
	pickle_dict_end(out->to);
	pickle_text(out->to, "external_annotations");
	pickle_list(out->to);
	pickle_dict_end(out->to);
	pickle_end(out->to);
	return true;
}

bool torch_write(struct export *export, struct mnm_record *record)
{
	struct torch_out *out = calloc(1, sizeof(*out));
	bool whole;

	if (!out)
		return !failure("no memory");
	out->export = export;
	out->to = export->to;
	whole = snapshot_put(out, recording_look(out, record));
	if (out->lost)
		whole = !failure("no memory");
	for (int i = 0; i < MNM_RECORD_HOST; i++)
		live_blocks_close(&out->live[i]);
	torch_frames_release(out);
	free(out->ranges);
	free(out);
	return export_end_tell(export, record) && whole;
}
