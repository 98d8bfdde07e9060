#include "lifetimes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "common/text.h"
#include "trace/text_file.h"
#include "trace/trace_file.h"

/* How a recording begins, see docs/trace-format.md. */
#define RECORDING "mnm record "

#define SIZE_MOST  ((uint64_t)1 << 48)
#define TOTAL_MOST ((uint64_t)INT64_MAX)

const char *lifetimes_wrong(struct lifetimes *lifetimes, const char *format,
			    ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(lifetimes->wrong, sizeof(lifetimes->wrong), format, args);
	va_end(args);
	return lifetimes->wrong;
}

const char *lifetimes_id(const struct lifetimes *lifetimes, size_t buffer)
{
	return lifetimes->text + lifetimes->ids[buffer];
}

static bool array_grow(void **array, size_t room, size_t each)
{
	void *grown = realloc(*array, room * each);

	if (grown)
		*array = grown;
	return grown;
}

/* Makes room for one more buffer, and for the text of its id. */
static bool lifetimes_grow(struct lifetimes *lifetimes, size_t text)
{
	size_t room = lifetimes->room ? 2 * lifetimes->room : 1024;
	size_t used = lifetimes->text_used + text;

	if (used > lifetimes->text_room) {
		if (!array_grow((void **)&lifetimes->text, 2 * used, 1))
			return false;
		lifetimes->text_room = 2 * used;
	}
	if (lifetimes->count < lifetimes->room)
		return true;
	if (!array_grow((void **)&lifetimes->buffers, room,
			sizeof(*lifetimes->buffers)) ||
	    !array_grow((void **)&lifetimes->ids, room,
			sizeof(*lifetimes->ids)) ||
	    !array_grow((void **)&lifetimes->classes, room,
			sizeof(*lifetimes->classes)))
		return false;
	lifetimes->room = room;
	return true;
}

static const char *times_check(struct lifetimes *lifetimes,
			       const struct plan_buffer *buffer)
{
	uint64_t period = lifetimes->period;

	if (buffer->upper <= buffer->lower)
		return lifetimes_wrong(lifetimes,
				       "upper %" PRIu64
				       " is not above lower %" PRIu64,
				       buffer->upper, buffer->lower);
	if (period && buffer->lower >= period)
		return lifetimes_wrong(lifetimes,
				       "lower %" PRIu64
				       " is not below the period, %" PRIu64,
				       buffer->lower, period);
	if (period && buffer->upper - buffer->lower > period)
		return lifetimes_wrong(lifetimes,
				       "from lower %" PRIu64
				       " to upper %" PRIu64
				       " is longer than the period, %" PRIu64,
				       buffer->lower, buffer->upper, period);
	return NULL;
}

/* Rounds the size up, and checks it and the alignment. */
static const char *size_check(struct lifetimes *lifetimes,
			      struct plan_buffer *buffer)
{
	uint64_t unit = lifetimes->unit, size = buffer->size;
	uint64_t rest = size % unit, align = buffer->align;

	if (!size || size > SIZE_MOST ||
	    (rest && unit - rest > SIZE_MOST - size))
		return lifetimes_wrong(lifetimes,
				       "size %" PRIu64 "%s; allowed: 1 to 2^48",
				       size, unit > 1 ? ", rounded up" : "");
	buffer->size = size + (rest ? unit - rest : 0);
	if (align & (align - 1) || align > SIZE_MOST)
		return lifetimes_wrong(
			lifetimes,
			"align %" PRIu64
			"; allowed: 0, and powers of two up to 2^48",
			align);
	lifetimes->total += buffer->size + (align > 1 ? align : 0);
	return lifetimes->total > TOTAL_MOST
		       ? "sizes and alignments add up to 2^63 or more"
		       : NULL;
}

const char *lifetimes_add(struct lifetimes *lifetimes,
			  struct plan_buffer buffer, const char *id,
			  unsigned char class_index)
{
	size_t length = strlen(id) + 1;
	const char *wrong = times_check(lifetimes, &buffer);

	if (!wrong)
		wrong = size_check(lifetimes, &buffer);
	if (wrong)
		return wrong;
	if (lifetimes->count == PLAN_MOST)
		return lifetimes_wrong(lifetimes, "more than %zu buffers",
				       PLAN_MOST);
	if (!lifetimes_grow(lifetimes, length))
		return "no memory to read it";
	lifetimes->buffers[lifetimes->count] = buffer;
	lifetimes->classes[lifetimes->count] = class_index;
	lifetimes->ids[lifetimes->count++] = lifetimes->text_used;
	memcpy(lifetimes->text + lifetimes->text_used, id, length);
	lifetimes->text_used += length;
	return NULL;
}

unsigned char lifetimes_class(struct lifetimes *lifetimes, const char *name)
{
	char plain[LIFETIMES_CLASS_SIZE];
	int i;

	text_plain(name, plain, sizeof(plain));
	for (i = 0; i < lifetimes->class_count; i++)
		if (!strcmp(lifetimes->class_names[i], plain))
			return (unsigned char)i;
	if (i == LIFETIMES_CLASSES)
		return LIFETIMES_CLASSES - 1;
	strcpy(lifetimes->class_names[i],
	       i < LIFETIMES_CLASSES - 1 ? plain : "others");
	lifetimes->class_count++;
	return (unsigned char)i;
}

/* Reads the lines up to one that shows what the file is, and then the rest. */
static const char *lifetimes_read(struct lifetimes *lifetimes,
				  const struct lifetimes_wanted *wanted,
				  struct trace_file *trace,
				  struct text_file *text)
{
	const char *wrong = NULL;
	bool recorded;
	char *line;

	/* Every line of a trace has an end, or else it is cut off. */
	while (!wrong && (line = text_line(text)) && *line == '#')
		wrong = trace_header(trace, line);
	if (wrong || text->error)
		return wrong ? wrong : text->error;
	if (!line)
		return "nothing in it";
	recorded = !strncmp(line, RECORDING, sizeof(RECORDING) - 1);
	lifetimes->is_trace = recorded || trace_is_event(line);
	lifetimes->unit = wanted->unit          ? wanted->unit
			  : lifetimes->is_trace ? 512
						: 1;
	if (!recorded && wanted->device >= 0) {
		text->number = 0;
		return "it is no recording, and has no devices";
	}
	if (recorded) {
		text->number = 0;
		return lifetimes_read_recording(lifetimes, wanted, trace);
	}
	if (lifetimes->is_trace) {
		text->again = true;
		return lifetimes_read_trace(lifetimes, wanted, trace, text);
	}
	if (wanted->has_iteration)
		return "it is no trace, and has no iterations";
	lifetimes->period = wanted->period;
	text->end_optional = true;
	return lifetimes_read_csv(lifetimes, text, line);
}

bool lifetimes_open(struct lifetimes *lifetimes,
		    const struct lifetimes_wanted *wanted)
{
	struct text_file *text = malloc(sizeof(*text));
	struct trace_file trace;
	const char *wrong;

	memset(lifetimes, 0, sizeof(*lifetimes));
	if (!text || text_open(text, wanted->path)) {
		failure("%s: %s", wanted->path, strerror(errno));
		free(text);
		return false;
	}
	trace_begin(&trace, wanted->path);
	wrong = lifetimes_read(lifetimes, wanted, &trace, text);
	if (wrong && text->number)
		failure("%s:%u: %s", wanted->path, text->number, wrong);
	else if (wrong)
		failure("%s: %s", wanted->path, wrong);
	trace_close(&trace);
	text_close(text);
	free(text);
	if (wrong)
		lifetimes_close(lifetimes);
	return !wrong;
}

void lifetimes_close(struct lifetimes *lifetimes)
{
	free(lifetimes->buffers);
	free(lifetimes->ids);
	free(lifetimes->classes);
	free(lifetimes->text);
	memset(lifetimes, 0, sizeof(*lifetimes));
}
