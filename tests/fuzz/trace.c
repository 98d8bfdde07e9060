/* A trace file, plain or compressed. */
#include <stdlib.h>

#include "trace/trace_file.h"
#include "fuzz.h"

enum { MARKS_MAX = 16 };

static void trace_check(const struct trace_file *trace)
{
	uint64_t mallocs = 0, frees = 0;
	int marks = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_event *event = &trace->events[i];

		mallocs += event->kind == TRACE_MALLOC;
		frees += event->kind == TRACE_FREE;
		claim(event->kind == TRACE_MARK ||
			      (event->id && event->id <= trace->last_id),
		      "ids are from 1");
		claim(event->kind != TRACE_MALLOC || event->bytes,
		      "no malloc is empty");
		claim(event->stream < trace->streams, "streams are counted");
		if (event->kind == TRACE_MARK && marks++ < MARKS_MAX)
			claim(trace_iteration_mallocs(trace, i) <=
				      trace->last_id,
			      "an iteration's mallocs are the trace's");
	}
	claim(mallocs && mallocs == trace->last_id && frees == mallocs,
	      "each malloc is freed");
	claim(trace->streams <= TRACE_STREAMS, "there are so many streams");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = input_file(data, size);
	struct capture capture;
	struct trace_file trace;
	char *said;
	int failed;

	capture_begin(&capture, &stderr);
	failed = trace_open(&trace, path);
	said = capture_end(&capture);
	claim(lines_of(said) == (failed ? 1 : 0),
	      "a line says what is wrong, and nothing else is said");
	free(said);
	if (failed)
		return 0;
	trace_check(&trace);
	trace_close(&trace);
	return 0;
}
