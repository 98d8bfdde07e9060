#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

static uint32_t word_at(const uint8_t *from)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word |= (uint32_t)from[i] << 8 * i;
	return word;
}

bool frame_head_read(const uint8_t *bytes, struct frame_head *head)
{
	head->stored = word_at(bytes + 4);
	head->size = word_at(bytes + 8);
	return !memcmp(bytes, "MNMf", 4) && !word_at(bytes + 12) &&
	       head->stored <= FRAME_MOST && head->size <= FRAME_MOST;
}

/* What is read, and where the columns go on. */
struct reading {
	struct view view, columns[COLUMNS];
	struct origin *rows;
	size_t row_count;
	uint64_t *addresses; /* of requests */
	size_t request_count;
	uint64_t last_time, last_address;
};

static uint32_t view_word(struct view *view, uint64_t most)
{
	uint64_t number = view_number(view);

	if (number > most) {
		view->wrong = true;
		return 0;
	}
	return (uint32_t)number;
}

static void read_row(struct view *view, struct origin *row)
{
	row->kind = (uint8_t)view_word(view, MNM_RECORD_KINDS - 1);
	row->flags = (uint8_t)view_word(view, UINT8_MAX);
	row->device = (uint8_t)view_word(view, UINT8_MAX);
	row->pool = (uint8_t)view_word(view, UINT8_MAX);
	row->thread = view_word(view, UINT32_MAX);
	row->stream = view_word(view, UINT32_MAX);
	row->site = view_number(view);
}

/* The rows and columns, up to the events. */
static const char *read_parts(struct reading *reading, struct frame *frame)
{
	struct view *view = &reading->view;

	frame->count = view_word(view, FRAME_EVENTS);
	frame->dropped = view_number(view);
	reading->row_count = view_word(view, FRAME_EVENTS);
	if (view->wrong)
		return "its counts are wrong";
	reading->rows = calloc(reading->row_count + 1, sizeof(*reading->rows));
	reading->addresses =
		calloc(frame->count + 1, sizeof(*reading->addresses));
	frame->events = calloc(frame->count + 1, sizeof(*frame->events));
	if (!reading->rows || !reading->addresses || !frame->events)
		return "there is no memory for it";
	for (size_t i = 0; i < reading->row_count; i++)
		read_row(view, &reading->rows[i]);
	for (int i = 0; i < COLUMNS; i++) {
		size_t size = view_word(view, UINT32_MAX);
		const uint8_t *at = view_take(view, size);

		reading->columns[i] =
			(struct view){at, at ? at + size : NULL, !at};
	}
	return view->wrong || view->at != view->end ? "its parts are wrong"
						    : NULL;
}

static uint64_t read_address(struct reading *reading)
{
	reading->last_address = view_difference(
		&reading->columns[COLUMN_ADDRESSES], reading->last_address);
	return reading->last_address;
}

static uint64_t read_free(struct reading *reading)
{
	struct view *frees = &reading->columns[COLUMN_FREES];
	uint64_t back = view_number(frees);

	if (!back)
		return read_address(reading);
	if (back > reading->request_count) {
		frees->wrong = true;
		return 0;
	}
	return reading->addresses[reading->request_count - back];
}

static const char *read_text(struct view *texts)
{
	uint64_t length = view_number(texts);
	const uint8_t *text =
		view_take(texts, length < FRAME_MOST ? length + 1 : FRAME_MOST);

	if (!text || text[length] || strlen((const char *)text) != length) {
		texts->wrong = true;
		return NULL;
	}
	return (const char *)text;
}

static void read_event(struct reading *reading, struct mnm_record_event *event)
{
	struct view *columns = reading->columns;
	uint64_t number = view_number(&columns[COLUMN_ORIGINS]);
	struct origin *row;

	if (number >= reading->row_count) {
		columns[COLUMN_ORIGINS].wrong = true;
		return;
	}
	row = &reading->rows[number];
	*event = (struct mnm_record_event){.site = row->site,
					   .thread = row->thread,
					   .stream = row->stream,
					   .kind = row->kind,
					   .flags = row->flags,
					   .device = row->device,
					   .pool = row->pool};
	reading->last_time =
		view_difference(&columns[COLUMN_TIMES], reading->last_time);
	event->time = reading->last_time;
	if (kind_has_size(row->kind))
		event->size = view_number(&columns[COLUMN_SIZES]);
	if (kind_has_span(row->kind))
		event->span =
			view_difference(&columns[COLUMN_SPANS], event->size);
	if (kind_has_address(row->kind))
		event->address = read_address(reading);
	if (kind_has_block(row->kind))
		reading->addresses[reading->request_count++] = event->address;
	if (row->kind == MNM_RECORD_FREE)
		event->address = read_free(reading);
	if (kind_has_text(row->kind))
		event->text = read_text(&columns[COLUMN_TEXTS]);
}

static const char *read_events(struct reading *reading, struct frame *frame)
{
	for (size_t i = 0; i < frame->count; i++)
		read_event(reading, &frame->events[i]);
	for (int i = 0; i < COLUMNS; i++)
		if (reading->columns[i].wrong ||
		    reading->columns[i].at != reading->columns[i].end)
			return "its events are wrong";
	return NULL;
}

static const char *decompress(struct frame *frame,
			      const struct frame_head *head,
			      const uint8_t *stored)
{
	size_t size;

	frame->raw = malloc(head->size + (size_t)1);
	if (!frame->raw)
		return "there is no memory for it";
	size = ZSTD_decompress(frame->raw, head->size, stored, head->stored);
	if (ZSTD_isError(size) || size != head->size)
		return "its bytes are damaged";
	return NULL;
}

const char *frame_read(struct frame *frame, const struct frame_head *head,
		       const uint8_t *stored)
{
	struct reading reading = {0};
	const char *wrong;

	*frame = (struct frame){0};
	wrong = decompress(frame, head, stored);
	if (!wrong) {
		reading.view = (struct view){frame->raw,
					     frame->raw + head->size, false};
		wrong = read_parts(&reading, frame);
	}
	if (!wrong)
		wrong = read_events(&reading, frame);
	free(reading.rows);
	free(reading.addresses);
	if (wrong)
		frame_release(frame);
	return wrong;
}

void frame_release(struct frame *frame)
{
	free(frame->events);
	free(frame->raw);
	*frame = (struct frame){0};
}
