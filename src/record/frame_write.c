#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

enum {
	PLACES = 4 * FRAME_EVENTS, /* that there are in each table */
	LEVEL = 1, /* of zstd: its fastest but for negative ones */
};

struct frame_writer {
	ZSTD_CCtx *zstd;
	struct bytes columns[COLUMNS], origins, raw, out;
	/* The origins of this frame, and a table of their numbers, from 1. */
	struct origin *rows;
	uint32_t row_count;
	uint32_t *row_places;
	/* Where addresses were asked for in this frame: the number of the
	 * request, from 1. */
	uint64_t *addresses;
	uint32_t *requests;
	uint32_t request_count;
	uint64_t last_time, last_address;
	size_t places; /* that are in use: a power of two, enough for the frame
			*/
};

static size_t place_of(const struct frame_writer *writer, uint64_t word)
{
	word *= UINT64_C(0x9e3779b97f4a7c15);
	return (word >> 32) & (writer->places - 1);
}

static size_t place_next(const struct frame_writer *writer, size_t place)
{
	return (place + 1) & (writer->places - 1);
}

struct frame_writer *frame_writer_open(void)
{
	struct frame_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->zstd = ZSTD_createCCtx();
	writer->rows = calloc(FRAME_EVENTS, sizeof(*writer->rows));
	writer->row_places = calloc(PLACES, sizeof(*writer->row_places));
	writer->addresses = calloc(PLACES, sizeof(*writer->addresses));
	writer->requests = calloc(PLACES, sizeof(*writer->requests));
	if (writer->zstd && writer->rows && writer->row_places &&
	    writer->addresses && writer->requests) {
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel,
				       LEVEL);
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
		return writer;
	}
	frame_writer_close(writer);
	return NULL;
}

void frame_writer_close(struct frame_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->zstd);
	for (int i = 0; i < COLUMNS; i++)
		bytes_release(&writer->columns[i]);
	bytes_release(&writer->origins);
	bytes_release(&writer->raw);
	bytes_release(&writer->out);
	free(writer->rows);
	free(writer->row_places);
	free(writer->addresses);
	free(writer->requests);
	free(writer);
}

static void writer_clear(struct frame_writer *writer, size_t count)
{
	for (int i = 0; i < COLUMNS; i++)
		bytes_clear(&writer->columns[i]);
	bytes_clear(&writer->origins);
	bytes_clear(&writer->raw);
	bytes_clear(&writer->out);
	for (writer->places = 1; writer->places < 2 * count + 1;)
		writer->places *= 2;
	memset(writer->row_places, 0,
	       writer->places * sizeof(*writer->row_places));
	memset(writer->requests, 0, writer->places * sizeof(*writer->requests));
	writer->row_count = writer->request_count = 0;
	writer->last_time = writer->last_address = 0;
}

static bool origins_equal(const struct origin *a, const struct origin *b)
{
	return a->site == b->site && a->thread == b->thread &&
	       a->stream == b->stream && a->kind == b->kind &&
	       a->flags == b->flags && a->device == b->device &&
	       a->pool == b->pool;
}

static void put_row(struct bytes *to, const struct origin *row)
{
	bytes_number(to, row->kind);
	bytes_number(to, row->flags);
	bytes_number(to, row->device);
	bytes_number(to, row->pool);
	bytes_number(to, row->thread);
	bytes_number(to, row->stream);
	bytes_number(to, row->site);
}

/* The number of an origin, from 0. */
static uint32_t row_of(struct frame_writer *writer, const struct origin *origin)
{
	uint64_t word = origin->site ^ (uint64_t)origin->thread << 40 ^
			(uint64_t)origin->stream << 20 ^ origin->kind ^
			(uint64_t)origin->flags << 8 ^
			(uint64_t)origin->pool << 13 ^
			(uint64_t)origin->device << 57;
	size_t place = place_of(writer, word);
	uint32_t number;

	while ((number = writer->row_places[place])) {
		if (origins_equal(&writer->rows[number - 1], origin))
			return number - 1;
		place = place_next(writer, place);
	}
	writer->rows[writer->row_count++] = *origin;
	writer->row_places[place] = writer->row_count;
	put_row(&writer->origins, origin);
	return writer->row_count - 1;
}

/* The place of an address, or the one where it may be entered. */
static size_t address_place(const struct frame_writer *writer, uint64_t address)
{
	size_t place = place_of(writer, address);

	while (writer->requests[place] && writer->addresses[place] != address)
		place = place_next(writer, place);
	return place;
}

static void put_address(struct frame_writer *writer, uint64_t address)
{
	bytes_difference(&writer->columns[COLUMN_ADDRESSES], address,
			 writer->last_address);
	writer->last_address = address;
}

static void put_block(struct frame_writer *writer,
		      const struct mnm_record_event *event)
{
	size_t place = address_place(writer, event->address);

	writer->addresses[place] = event->address;
	writer->requests[place] = ++writer->request_count;
}

static void put_free(struct frame_writer *writer, uint64_t address)
{
	uint32_t request = writer->requests[address_place(writer, address)];

	bytes_number(&writer->columns[COLUMN_FREES],
		     request ? writer->request_count - request + 1 : 0);
	if (!request)
		put_address(writer, address);
}

static void put_event(struct frame_writer *writer,
		      const struct mnm_record_event *event)
{
	struct bytes *columns = writer->columns;
	struct origin origin = origin_of(event);

	bytes_number(&columns[COLUMN_ORIGINS], row_of(writer, &origin));
	bytes_difference(&columns[COLUMN_TIMES], event->time,
			 writer->last_time);
	writer->last_time = event->time;
	if (kind_has_size(event->kind))
		bytes_number(&columns[COLUMN_SIZES], event->size);
	if (kind_has_span(event->kind))
		bytes_difference(&columns[COLUMN_SPANS], event->span,
				 event->size);
	if (kind_has_address(event->kind))
		put_address(writer, event->address);
	if (kind_has_block(event->kind))
		put_block(writer, event);
	if (event->kind == MNM_RECORD_FREE)
		put_free(writer, event->address);
	if (kind_has_text(event->kind)) {
		size_t length = event->text ? strlen(event->text) : 0;

		bytes_number(&columns[COLUMN_TEXTS], length);
		/* With its end, so that a reader can use it where it is. */
		bytes_put(&columns[COLUMN_TEXTS],
			  event->text ? event->text : "", length + 1);
	}
}

/* Puts the columns together. */
static bool put_raw(struct frame_writer *writer, size_t count, uint64_t dropped)
{
	struct bytes *raw = &writer->raw;
	bool lost = writer->origins.lost;

	bytes_number(raw, count);
	bytes_number(raw, dropped);
	bytes_number(raw, writer->row_count);
	bytes_put(raw, writer->origins.at, writer->origins.size);
	for (int i = 0; i < COLUMNS; i++) {
		const struct bytes *column = &writer->columns[i];

		bytes_number(raw, column->size);
		bytes_put(raw, column->at, column->size);
		lost |= column->lost;
	}
	return !lost && !raw->lost;
}

static void put_word(uint8_t *to, uint64_t word)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(word >> 8 * i);
}

static bool compress(struct frame_writer *writer)
{
	const struct bytes *raw = &writer->raw;
	struct bytes *out = &writer->out;
	size_t most = ZSTD_compressBound(raw->size) + FRAME_HEAD, stored;

	if (out->room < most) {
		uint8_t *more = realloc(out->at, most);

		if (!more)
			return false;
		out->at = more;
		out->room = most;
	}
	stored = ZSTD_compress2(writer->zstd, out->at + FRAME_HEAD,
				out->room - FRAME_HEAD, raw->at, raw->size);
	if (ZSTD_isError(stored))
		return false;
	memcpy(out->at, "MNMf", 4);
	put_word(out->at + 4, stored);
	put_word(out->at + 8, raw->size);
	put_word(out->at + 12, 0);
	out->size = stored + FRAME_HEAD;
	return true;
}

const struct bytes *frame_write(struct frame_writer *writer,
				const struct mnm_record_event *events,
				size_t count, uint64_t dropped)
{
	writer_clear(writer, count);
	for (size_t i = 0; i < count; i++)
		put_event(writer, &events[i]);
	if (!put_raw(writer, count, dropped) || !compress(writer))
		return NULL;
	return &writer->out;
}
