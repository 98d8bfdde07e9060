/* Writes a plan as the bytes of a file. */
#include <stdlib.h>

#include "plan/plan_file.h"

/* Bytes as they become more. */
struct writer {
	unsigned char *bytes; /* NULL: there was no memory */
	size_t size, room;
};

static void byte_add(struct writer *writer, unsigned char byte)
{
	size_t room = writer->room ? 2 * writer->room : 4096;
	unsigned char *grown;

	if (writer->size == writer->room) {
		grown = writer->bytes || !writer->room
				? realloc(writer->bytes, room)
				: NULL;
		if (!grown)
			free(writer->bytes);
		writer->bytes = grown;
		writer->room = room;
	}
	if (writer->bytes)
		writer->bytes[writer->size++] = byte;
}

static void number_add(struct writer *writer, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		byte_add(writer, (unsigned char)(number | 0x80));
	byte_add(writer, (unsigned char)number);
}

/* The low bytes of a number, the lowest first. */
static void word_set(unsigned char *at, uint64_t word, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (unsigned char)(word >> 8 * i);
}

uint64_t plan_file_sum(const unsigned char *bytes, size_t size)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* The stream that a request was made in. Its token is a hash of its size and
 * its stream, which are what a file has, as another version may mix them
 * otherwise. */
static uint32_t stream_of(const struct cycle_request *request)
{
	uint32_t stream = 0;

	while (stream < PLAN_FILE_STREAMS &&
	       history_token(request->size, stream) != request->token)
		stream++;
	return stream;
}

/* Returns false if it can't be written. */
static bool request_add(struct writer *writer, const struct plan_file *file,
			size_t index)
{
	const struct cycle *cycle = &file->cycle;
	const struct cycle_request *request = &cycle->requests[index];
	const struct plan_buffer *buffer;
	uint32_t stream = stream_of(request);

	number_add(writer,
		   index ? request->at - request[-1].at - 1 : request->at);
	number_add(writer, request->size / PLAN_FILE_UNIT);
	number_add(writer, stream);
	if (request->size % PLAN_FILE_UNIT || stream == PLAN_FILE_STREAMS)
		return false;
	if (request->place == CYCLE_NONE) {
		number_add(writer, 0);
		return true;
	}
	buffer = &cycle->problem.buffers[request->place];
	number_add(writer, buffer->upper - buffer->lower);
	for (uint32_t lap = 0; lap < cycle->laps; lap++) {
		uint64_t offset =
			file->plan
				.offsets[request->place + lap * cycle->per_lap];

		number_add(writer, offset / PLAN_FILE_UNIT);
		if (offset % PLAN_FILE_UNIT)
			return false;
	}
	return true;
}

static void beginning_write(struct writer *writer,
			    const struct beginning *begin)
{
	uint64_t last = begin->requests;

	number_add(writer, begin->known ? begin->slot + UINT64_C(1) : 0);
	if (!begin->known)
		return;
	number_add(writer, begin->requests);
	number_add(writer, begin->sum);
	number_add(writer, begin->kept_count);
	for (size_t i = 0; i < begin->kept_count; i++) {
		number_add(writer, begin->kept[i].request - last);
		number_add(writer, begin->kept[i].size / PLAN_FILE_UNIT);
		last = begin->kept[i].request + 1;
	}
}

static bool body_write(struct writer *writer, const struct plan_file *file)
{
	const struct cycle *cycle = &file->cycle;
	bool can = cycle->length <= PLAN_FILE_REQUESTS &&
		   cycle->count * cycle->laps <= PLAN_FILE_SLOTS &&
		   file->plan.peak <= PLAN_FILE_PEAK &&
		   file->plan.bound % PLAN_FILE_UNIT == 0;

	number_add(writer, file->device);
	number_add(writer, cycle->length);
	number_add(writer, cycle->count);
	number_add(writer, cycle->laps);
	number_add(writer, file->least);
	number_add(writer, file->plan.bound / PLAN_FILE_UNIT);
	number_add(writer, file->plan.peak / PLAN_FILE_UNIT);
	for (size_t i = 0; i < cycle->count && can; i++)
		can = request_add(writer, file, i);
	beginning_write(writer, &file->beginning);
	return can && writer->bytes && writer->size <= PLAN_FILE_MOST;
}

unsigned char *plan_file_write(const struct plan_file *file, size_t *size)
{
	struct writer writer = {0};
	unsigned char *bytes;
	size_t body;

	for (int i = 0; i < PLAN_FILE_HEAD; i++)
		byte_add(&writer, 0);
	if (!body_write(&writer, file)) {
		free(writer.bytes);
		return NULL;
	}
	bytes = writer.bytes;
	body = writer.size - PLAN_FILE_HEAD;
	word_set(bytes, PLAN_FILE_MAGIC, 8);
	word_set(bytes + 8, PLAN_FILE_VERSION, 4);
	word_set(bytes + 12, body, 4);
	word_set(bytes + 16, plan_file_sum(bytes + PLAN_FILE_HEAD, body), 8);
	*size = writer.size;
	return bytes;
}
