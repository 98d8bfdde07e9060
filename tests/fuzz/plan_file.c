/* A saved plan: what tstack_pool and `mnm plan --save` read. The input is taken
 * as it is, and once more with a head whose length and checksum fit. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "plan/plan_file.h"

/* So many buffers are compared with each other. */
enum { PAIRS_MOST = 200 };

/* Whether two buffers live at one time of their circle. */
static bool meet(const struct plan_problem *problem, size_t one, size_t other)
{
	const struct plan_buffer *a = &problem->buffers[one],
				 *b = &problem->buffers[other];
	uint64_t behind =
		(b->lower + problem->period - a->lower) % problem->period;
	uint64_t before =
		(a->lower + problem->period - b->lower) % problem->period;

	return behind < a->upper - a->lower || before < b->upper - b->lower;
}

static void places_check(const struct plan_file *file)
{
	const struct plan_problem *problem = &file->cycle.problem;
	const uint64_t *offsets = file->plan.offsets;
	uint64_t peak = 0;

	claim(problem->count, "there is a buffer");
	for (size_t i = 0; i < problem->count; i++) {
		uint64_t end = offsets[i] + problem->buffers[i].size;

		claim(offsets[i] % PLAN_FILE_UNIT == 0, "it is aligned");
		claim(problem->buffers[i].size % PLAN_FILE_UNIT == 0,
		      "its size is whole");
		claim(end <= file->plan.peak, "it lies below the peak");
		peak = end > peak ? end : peak;
		for (size_t j = 0; j < i && i < PAIRS_MOST; j++)
			claim(offsets[j] >= end ||
				      offsets[j] + problem->buffers[j].size <=
					      offsets[i] ||
				      !meet(problem, i, j),
			      "no two that live at the same time overlap");
	}
	claim(peak == file->plan.peak, "the peak is that of its buffers");
	claim(file->plan.bound <= peak, "no bound is above it");
}

static void requests_check(const struct plan_file *file)
{
	const struct cycle *cycle = &file->cycle;
	const struct beginning *begin = &file->beginning;

	claim(cycle->count && cycle->count <= cycle->length,
	      "an iteration has its requests");
	claim(cycle->count * cycle->laps <= PLAN_FILE_SLOTS,
	      "there are not too many slots");
	claim(file->least < cycle->count && begin->slot < cycle->count,
	      "it begins in itself");
	for (size_t i = 0; i < cycle->count; i++) {
		const struct cycle_request *at = &cycle->requests[i];

		claim(at->at < cycle->length && (!i || at->at > at[-1].at),
		      "requests come one after the other");
		claim(at->place == CYCLE_NONE || at->place < cycle->per_lap,
		      "a place is one of a lap");
	}
	for (size_t i = 1; i < begin->kept_count; i++)
		claim(begin->kept[i].request > begin->kept[i - 1].request,
		      "what is kept comes one after the other");
}

/* It is written in the shortest way, so perhaps otherwise than it was. */
static void again_check(const struct plan_file *file)
{
	struct plan_file again;
	unsigned char *bytes, *more;
	size_t size, more_size;

	bytes = plan_file_write(file, &size);
	claim(bytes, "what was read can be written");
	claim(!plan_file_read(&again, bytes, size),
	      "what was written can be read");
	more = plan_file_write(&again, &more_size);
	claim(more && more_size == size && !memcmp(bytes, more, size),
	      "it says the same");
	plan_file_release(&again);
	free(bytes);
	free(more);
}

static void bytes_read(const uint8_t *data, size_t size)
{
	struct plan_file file;

	if (plan_file_read(&file, data, size))
		return;
	places_check(&file);
	requests_check(&file);
	again_check(&file);
	plan_file_release(&file);
}

static void word_set(uint8_t *at, uint64_t word, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(word >> 8 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t body = size - PLAN_FILE_HEAD;
	uint8_t *headed;

	bytes_read(data, size);
	if (size < PLAN_FILE_HEAD)
		return 0;
	headed = malloc(size);
	claim(headed, "there is memory");
	memcpy(headed, data, size);
	memcpy(headed, "mnm plan\1\0\0\0", 12);
	word_set(headed + 12, body, 4);
	word_set(headed + 16, plan_file_sum(headed + PLAN_FILE_HEAD, body), 8);
	bytes_read(headed, size);
	free(headed);
	return 0;
}
