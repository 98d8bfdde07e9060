/* A recording: as it is, and its bytes as those of a frame behind a checksum
 * that is right, which drawn input would never have. */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "fuzz.h"
#include "record/frame.h"

static void events_check(const struct mnm_record_event *event)
{
	claim(event->kind < MNM_RECORD_KINDS, "a kind is known");
	claim(!event->text || strlen(event->text) < FRAME_MOST,
	      "a text has an end");
}

static void file_check(const char *path)
{
	struct mnm_record *record;
	const struct mnm_record_event *event;
	char error[512] = "";
	const char *wrong;

	record = mnm_record_open(path, error, sizeof(error));
	claim(record || *error, "what is wrong is said");
	claim(lines_of(error) == 0, "in one line");
	if (!record)
		return;
	while ((event = mnm_record_next(record))) {
		events_check(event);
		claim(mnm_record_pool(record, event->pool), "a pool is named");
	}
	wrong = mnm_record_error(record);
	claim(!wrong || *wrong, "what is wrong is said");
	mnm_record_close(record);
}

static bool events_equal(const struct mnm_record_event *a,
			 const struct mnm_record_event *b)
{
	return a->time == b->time && a->address == b->address &&
	       a->size == b->size && a->span == b->span && a->kind == b->kind &&
	       a->site == b->site;
}

/* Writes the frame again, and compares. */
static void frame_again(const struct frame *frame)
{
	struct frame_writer *writer = frame_writer_open();
	const struct bytes *bytes = frame_write(writer, frame->events,
						frame->count, frame->dropped);
	struct frame_head head;
	struct frame again;

	claim(bytes, "a frame that was read can be written");
	claim(frame_head_read(bytes->at, &head), "with a head");
	claim(!frame_read(&again, &head, bytes->at + FRAME_HEAD),
	      "that can be read");
	claim(again.count == frame->count && again.dropped == frame->dropped,
	      "and is the same");
	for (size_t i = 0; i < frame->count; i++)
		claim(events_equal(again.events + i, frame->events + i),
		      "event by event");
	frame_release(&again);
	frame_writer_close(writer);
}

static void frame_check(const uint8_t *raw, size_t size)
{
	size_t most = ZSTD_compressBound(size);
	uint8_t *stored = malloc(most);
	struct frame_head head = {.size = (uint32_t)size};
	struct frame frame;
	const char *wrong;

	head.stored = (uint32_t)ZSTD_compress(stored, most, raw, size, 1);
	wrong = frame_read(&frame, &head, stored);
	claim(!wrong || (!frame.events && !frame.count),
	      "a frame that is wrong is empty");
	for (size_t i = 0; frame.events && i < frame.count; i++)
		events_check(&frame.events[i]);
	if (!wrong && frame.events)
		frame_again(&frame);
	frame_release(&frame);
	free(stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	file_check(input_file(data, size));
	frame_check(data, size);
	return 0;
}
