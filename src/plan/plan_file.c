/* Reads a plan from the bytes of a file, and believes none of them. */
#include "plan/plan_file.h"

#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_BITS = 63,
	REQUEST_LEAST = 4,      /* bytes */
	KEPT_LEAST = 2,         /* the same, of a buffer that is kept */
	REQUEST_MOST = 1 << 30, /* the number of one at the beginning */
};

static const char no_memory[] = "there is no memory for it";

/* What is read. A number that is cut off, or too large, counts as a failure,
 * and all that follow are 0. */
struct reader {
	const unsigned char *at, *end;
	bool failed;
};

static uint64_t number_read(struct reader *reader)
{
	uint64_t number = 0;

	for (int shift = 0; shift < NUMBER_BITS; shift += 7) {
		unsigned char byte;

		if (reader->at == reader->end)
			break;
		byte = *reader->at++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	reader->failed = true;
	reader->at = reader->end;
	return 0;
}

/* A number of units, as bytes; as large as no size may be, if it is too
 * large. */
static uint64_t bytes_read(struct reader *reader)
{
	uint64_t units = number_read(reader);

	return units > PLAN_FILE_PEAK / PLAN_FILE_UNIT ? UINT64_MAX
						       : units * PLAN_FILE_UNIT;
}

static uint64_t word_at(const unsigned char *at, int bytes)
{
	uint64_t word = 0;

	while (bytes--)
		word = word << 8 | at[bytes];
	return word;
}

static const char *head_read(const unsigned char *bytes, size_t size)
{
	if (size < 8 || word_at(bytes, 8) != PLAN_FILE_MAGIC)
		return "it is no plan";
	if (size > PLAN_FILE_MOST)
		return "it is too large for a plan";
	if (size < PLAN_FILE_HEAD)
		return "it is cut off";
	if (word_at(bytes + 8, 4) != PLAN_FILE_VERSION)
		return "another version of mnm has written it";
	if (word_at(bytes + 12, 4) > size - PLAN_FILE_HEAD)
		return "it is cut off";
	if (word_at(bytes + 12, 4) < size - PLAN_FILE_HEAD)
		return "something follows after its end";
	if (word_at(bytes + 16, 8) !=
	    plan_file_sum(bytes + PLAN_FILE_HEAD, size - PLAN_FILE_HEAD))
		return "its checksum is wrong, so it was changed or damaged";
	return NULL;
}

/* What comes before the requests. */
static const char *figures_read(struct plan_file *file, struct reader *reader)
{
	struct cycle *cycle = &file->cycle;
	uint64_t device = number_read(reader);
	uint64_t length = number_read(reader), count = number_read(reader);
	uint64_t laps = number_read(reader), least = number_read(reader);
	size_t left;

	file->plan.bound = bytes_read(reader);
	file->plan.peak = bytes_read(reader);
	left = (size_t)(reader->end - reader->at);
	if (reader->failed || device > UINT32_MAX)
		return "its figures are wrong";
	if (!length || length > PLAN_FILE_REQUESTS)
		return "its iteration is too long";
	if (!count || count > length || count > left / REQUEST_LEAST)
		return "it has not as many requests as it says";
	if (!laps || laps > CYCLE_LAPS || laps * count > PLAN_FILE_SLOTS)
		return "it has too many laps";
	if (least >= count)
		return "its iteration does not begin in it";
	if (file->plan.peak > PLAN_FILE_PEAK)
		return "it is larger than any device";
	file->device = (uint32_t)device;
	file->least = (uint32_t)least;
	cycle->length = length;
	cycle->count = count;
	cycle->laps = (uint32_t)laps;
	return NULL;
}

/* Reads the buffer of a request, which lives from the request on. Those of
 * later laps are made once it is known how many a lap has. */
static const char *buffer_read(struct plan_file *file, struct reader *reader,
			       struct plan_buffer *buffers,
			       struct cycle_request *request, uint64_t life)
{
	struct cycle *cycle = &file->cycle;
	struct plan *plan = &file->plan;
	size_t place = cycle->per_lap++;

	request->place = (uint32_t)place;
	if (life > cycle->laps * cycle->length)
		return "a buffer lives for longer than its laps";
	buffers[place] = (struct plan_buffer){.lower = request->at,
					      .upper = request->at + life,
					      .size = request->size};
	for (uint32_t lap = 0; lap < cycle->laps; lap++) {
		uint64_t offset = bytes_read(reader);

		if (offset > PLAN_FILE_PEAK)
			return "an address is out of its bounds";
		plan->offsets[lap * cycle->count + place] = offset;
	}
	return NULL;
}

static const char *request_read(struct plan_file *file, struct reader *reader,
				struct plan_buffer *buffers, size_t index)
{
	struct cycle *cycle = &file->cycle;
	struct cycle_request *request = &cycle->requests[index];
	uint64_t gap = number_read(reader), size = bytes_read(reader);
	uint64_t stream = number_read(reader), life = number_read(reader);
	uint64_t first = index ? request[-1].at + 1 : 0;

	if (reader->failed)
		return "its requests are cut off";
	if (gap >= cycle->length - first)
		return "a request comes after its iteration";
	if (!size || size > PLAN_FILE_PEAK)
		return "a size is out of its bounds";
	if (stream >= PLAN_FILE_STREAMS)
		return "a stream is out of its bounds";
	*request = (struct cycle_request){
		.token = history_token(size, stream),
		.at = (uint32_t)(first + gap),
		.place = CYCLE_NONE,
		.size = size,
	};
	return life ? buffer_read(file, reader, buffers, request, life) : NULL;
}

/* The buffers of later laps are those of the first, later. Their addresses move
 * to where the problem has them. */
static void laps_fill(struct plan_file *file, struct plan_buffer *buffers)
{
	struct cycle *cycle = &file->cycle;
	uint64_t *offsets = file->plan.offsets;
	size_t per_lap = cycle->per_lap;

	for (size_t lap = 1; lap < cycle->laps; lap++) {
		memmove(offsets + lap * per_lap, offsets + lap * cycle->count,
			per_lap * sizeof(*offsets));
		for (size_t i = 0; i < per_lap; i++) {
			struct plan_buffer *at = &buffers[lap * per_lap + i];

			*at = at[-(ptrdiff_t)per_lap];
			at->lower += cycle->length;
			at->upper += cycle->length;
		}
	}
	cycle->problem = (struct plan_problem){buffers, per_lap * cycle->laps,
					       cycle->laps * cycle->length};
}

static const char *requests_read(struct plan_file *file, struct reader *reader)
{
	struct cycle *cycle = &file->cycle;
	size_t slots = cycle->count * cycle->laps;
	struct plan_buffer *buffers = calloc(slots, sizeof(*buffers));
	const char *wrong = NULL;

	cycle->problem.buffers = buffers;
	cycle->requests = calloc(cycle->count, sizeof(*cycle->requests));
	file->plan.offsets = calloc(slots, sizeof(*file->plan.offsets));
	if (!buffers || !cycle->requests || !file->plan.offsets)
		return no_memory;
	for (size_t i = 0; i < cycle->count && !wrong; i++)
		wrong = request_read(file, reader, buffers, i);
	if (wrong)
		return wrong;
	if (reader->failed)
		return "its requests are cut off";
	if (!cycle->per_lap)
		return "it has no buffer";
	laps_fill(file, buffers);
	return NULL;
}

/* What a program keeps of its first iteration. */
static const char *kept_read(struct beginning *begin, struct reader *reader)
{
	uint64_t count = number_read(reader), gap, next = begin->requests;
	struct beginning_kept *kept;

	if (count > (size_t)(reader->end - reader->at) / KEPT_LEAST)
		return "it keeps not as many buffers as it says";
	kept = calloc(count + 1, sizeof(*kept));
	if (!kept)
		return no_memory;
	begin->kept = kept;
	begin->kept_count = (size_t)count;
	for (size_t i = 0; i < count; i++) {
		gap = number_read(reader);
		if (gap > REQUEST_MOST)
			return "it keeps a buffer that comes too late";
		kept[i].request = next + gap;
		kept[i].size = bytes_read(reader);
		next = kept[i].request + 1;
		if (!kept[i].size || kept[i].size > PLAN_FILE_PEAK)
			return "what it keeps has a size out of its bounds";
	}
	return NULL;
}

static const char *beginning_read(struct plan_file *file, struct reader *reader)
{
	struct beginning *begin = &file->beginning;
	uint64_t slot = number_read(reader); /* from 1 on; 0: not known */
	const char *wrong;

	if (slot > file->cycle.count)
		return "its program does not begin in it";
	if (slot) {
		begin->known = true;
		begin->slot = (uint32_t)slot - 1;
		begin->requests = number_read(reader);
		begin->sum = number_read(reader);
		if (!begin->requests || begin->requests > REQUEST_MOST)
			return "its program begins too early or too late";
		wrong = kept_read(begin, reader);
		if (wrong)
			return wrong;
	}
	if (reader->failed)
		return "its beginning is cut off";
	return reader->at == reader->end ? NULL : "it is longer than it says";
}

/* Whether it may be followed. Nothing that made it is asked. */
static const char *plan_judge(struct plan_file *file)
{
	const struct plan_problem *problem = &file->cycle.problem;
	uint64_t peak = 0, most = 0;
	bool valid = false;

	if (plan_bound(problem, &most) ||
	    plan_is_valid(problem, file->plan.offsets, &valid, &peak))
		return no_memory;
	if (!valid)
		return "buffers that live at the same time overlap";
	if (peak != file->plan.peak)
		return "its peak is another one than it says";
	if (file->plan.bound < most || file->plan.bound > peak)
		return "its lower bound can't be true";
	file->cycle.peak = most;
	return NULL;
}

const char *plan_file_read(struct plan_file *file, const unsigned char *bytes,
			   size_t size)
{
	const char *wrong = head_read(bytes, size);
	struct reader reader;

	*file = (struct plan_file){0};
	if (wrong)
		return wrong;
	reader = (struct reader){bytes + PLAN_FILE_HEAD, bytes + size, false};
	wrong = figures_read(file, &reader);
	if (!wrong)
		wrong = requests_read(file, &reader);
	if (!wrong)
		wrong = beginning_read(file, &reader);
	if (!wrong)
		wrong = plan_judge(file);
	if (wrong)
		plan_file_release(file);
	return wrong;
}

void plan_file_release(struct plan_file *file)
{
	cycle_release(&file->cycle);
	plan_release(&file->plan);
	beginning_release(&file->beginning);
}
