/* Lifetimes for `mnm plan`: CSV or a trace, plain or compressed. */
#include <stdlib.h>
#include <string.h>

#include "cli/plan/lifetimes.h"
#include "fuzz.h"

/* So many buffers are compared with each other. */
enum { PAIRS_MOST = 300 };

static void buffers_check(const struct lifetimes *lifetimes)
{
	uint64_t total = 0;

	for (size_t i = 0; i < lifetimes->count; i++) {
		const struct plan_buffer *buffer = &lifetimes->buffers[i];

		claim(buffer->lower < buffer->upper, "a buffer lives");
		claim(buffer->size && buffer->size <= (uint64_t)1 << 48,
		      "its size is as the planner wants it");
		claim(buffer->size % lifetimes->unit == 0,
		      "its size is rounded");
		claim(!(buffer->align & (buffer->align - 1)),
		      "its alignment is 0 or a power of two");
		claim(!lifetimes->period ||
			      (buffer->lower < lifetimes->period &&
			       buffer->upper - buffer->lower <=
				       lifetimes->period),
		      "it lives once a period");
		claim(!lifetimes->class_count ||
			      lifetimes->classes[i] < lifetimes->class_count,
		      "its class has a name");
		total += buffer->size;
		if (buffer->align > 1)
			total += buffer->align;
	}
	claim(total == lifetimes->total && total <= INT64_MAX,
	      "sizes and alignments are added up");
}

static void ids_check(const struct lifetimes *lifetimes)
{
	for (size_t i = 0; i < lifetimes->count && i < PAIRS_MOST; i++) {
		claim(*lifetimes_id(lifetimes, i), "an id is not empty");
		for (size_t j = 0; j < i; j++)
			claim(strcmp(lifetimes_id(lifetimes, i),
				     lifetimes_id(lifetimes, j)) != 0,
			      "no two buffers have one id");
	}
}

/* What the reader takes, the planner takes as well. */
static void bound_check(const struct lifetimes *lifetimes)
{
	struct plan_problem problem = {lifetimes->buffers, lifetimes->count,
				       lifetimes->period};
	uint64_t bound = 0;

	claim(plan_bound(&problem, &bound) == PLAN_DONE,
	      "the planner takes what was read");
	claim(bound && bound <= lifetimes->total,
	      "no more can live than there is");
}

static void input_read(const struct lifetimes_wanted *wanted)
{
	struct lifetimes lifetimes;
	struct capture capture;
	bool done;
	char *said;

	capture_begin(&capture, &stderr);
	done = lifetimes_open(&lifetimes, wanted);
	said = capture_end(&capture);
	claim(lines_of(said) == (done ? 0 : 1),
	      "a line says what is wrong, and nothing else is said");
	claim(is_plain(said), "it is plain");
	free(said);
	if (!done)
		return;
	claim(lifetimes.count, "there is a buffer");
	buffers_check(&lifetimes);
	ids_check(&lifetimes);
	bound_check(&lifetimes);
	lifetimes_close(&lifetimes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lifetimes_wanted wanted = {.device = -1,
					  .path = input_file(data, size)};

	input_read(&wanted);
	wanted.unit = 4096;
	wanted.period = 64;
	input_read(&wanted);
	wanted.period = 0;
	wanted.has_iteration = true;
	wanted.iteration = 1;
	input_read(&wanted);
	return 0;
}
