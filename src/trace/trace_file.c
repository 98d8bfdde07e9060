#include "trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

const char *const trace_classes[TRACE_CLASSES] = {
#define TRACE_CLASS(name, text) [TRACE_##name] = text,
	TRACE_CLASS_LIST
#undef TRACE_CLASS
};

/* Says which ids are live while a trace is read: one bit for each. */
struct id_set {
	unsigned char *bits;
	size_t bytes;
	uint64_t count; /* how many bits are set */
};

static bool id_set_grow(struct id_set *set, uint64_t id)
{
	size_t bytes = set->bytes ? set->bytes * 2 : 4096;
	unsigned char *bits;

	if (id / 8 < set->bytes)
		return true;
	bits = realloc(set->bits, bytes);
	if (!bits)
		return false;
	memset(bits + set->bytes, 0, bytes - set->bytes);
	set->bits = bits;
	set->bytes = bytes;
	return true;
}

static bool id_set_add(struct id_set *set, uint64_t id)
{
	if (!id_set_grow(set, id))
		return false;
	set->bits[id / 8] |= (unsigned char)(1u << id % 8);
	set->count++;
	return true;
}

/* Takes the id out. Returns false if it was not in. */
static bool id_set_take(struct id_set *set, uint64_t id)
{
	unsigned char bit = (unsigned char)(1u << id % 8);

	if (id / 8 >= set->bytes || !(set->bits[id / 8] & bit))
		return false;
	set->bits[id / 8] &= (unsigned char)~bit;
	set->count--;
	return true;
}

/* Reads a whole field, a number of at most max. Moves *text past its comma. */
static bool number_take(char **text, uint64_t max, uint64_t *number)
{
	char *field = *text;
	char *end;

	if (!field || *field < '0' || *field > '9')
		return false;
	errno = 0;
	*number = strtoull(field, &end, 10);
	if (errno || *number > max || (*end && *end != ','))
		return false;
	*text = *end ? end + 1 : NULL;
	return true;
}

/* The class that is the first of these fields. */
static enum trace_class class_find(const char *fields)
{
	size_t length = strcspn(fields, ",");
	enum trace_class found = 0;

	while (found < TRACE_OTHER &&
	       (strlen(trace_classes[found]) != length ||
		strncmp(trace_classes[found], fields, length) != 0))
		found++;
	return found;
}

static const char *malloc_parse(struct trace_file *trace, char *fields,
				struct trace_event *event, struct id_set *live)
{
	uint64_t stream;

	event->kind = TRACE_MALLOC;
	if (!number_take(&fields, UINT64_MAX, &event->id) ||
	    !number_take(&fields, SIZE_MAX, &event->bytes) ||
	    !number_take(&fields, TRACE_STREAMS - 1, &stream) || !fields)
		return "not malloc,id,bytes,stream,class,name";
	if (event->id != trace->last_id + 1)
		return "ids of mallocs must be 1, 2, 3, ...";
	if (!event->bytes)
		return "a malloc of 0 bytes";
	if (!id_set_add(live, event->id))
		return "no memory to read it";
	trace->last_id = event->id;
	event->stream = (unsigned int)stream;
	event->purpose = class_find(fields);
	if (event->stream >= trace->streams)
		trace->streams = event->stream + 1;
	return NULL;
}

static const char *free_parse(char *fields, struct trace_event *event,
			      struct id_set *live)
{
	event->kind = TRACE_FREE;
	if (!number_take(&fields, UINT64_MAX, &event->id) || fields)
		return "not free,id";
	if (!id_set_take(live, event->id))
		return "a free of a buffer that is not live";
	return NULL;
}

static const char *mark_parse(char *fields, struct trace_event *event)
{
	uint64_t number;

	event->kind = TRACE_MARK;
	event->iteration = -1;
	if (!strncmp(fields, "-1,", 3))
		return NULL;
	if (!number_take(&fields, INT32_MAX, &number) || !fields)
		return "not mark,iter,phase";
	event->iteration = (int)number;
	return NULL;
}

/* Parses a line that is neither empty nor a comment. Returns what is wrong, or
 * NULL. */
static const char *event_parse(struct trace_file *trace, char *line,
			       struct trace_event *event, struct id_set *live)
{
	char *fields = strchr(line, ',');

	if (!fields)
		return "not an event";
	*fields++ = '\0';
	if (!strcmp(line, "malloc"))
		return malloc_parse(trace, fields, event, live);
	if (!strcmp(line, "free"))
		return free_parse(fields, event, live);
	if (!strcmp(line, "mark"))
		return mark_parse(fields, event);
	return "not an event";
}

static struct trace_event *event_add(struct trace_file *trace)
{
	if (trace->count == trace->room) {
		size_t room = trace->room ? trace->room * 2 : 1024;
		struct trace_event *events;

		events = realloc(trace->events, room * sizeof(*events));
		if (!events)
			return NULL;
		trace->events = events;
		trace->room = room;
	}
	memset(&trace->events[trace->count], 0, sizeof(*trace->events));
	return &trace->events[trace->count++];
}

/* What follows the key in a line that begins with it, or NULL. */
static const char *value_find(const char *line, const char *key)
{
	size_t length = strlen(key);

	return strncmp(line, key, length) ? NULL : line + length;
}

/* Parses "# key: value": the trace's name, the format it claims, the time of a
 * step. Returns what is wrong, or NULL. */
const char *trace_header(struct trace_file *trace, const char *line)
{
	const char *value;
	char *end;

	if ((value = value_find(line, "# trace: ")))
		snprintf(trace->name, sizeof(trace->name), "%s", value);
	if ((value = value_find(line, "# format: ")) &&
	    (value[0] != '1' || value[1]))
		return "a format other than 1";
	if ((value = value_find(line, "# t4_step_ms: "))) {
		trace->step_ms = strtod(value, &end);
		if (*end || !(trace->step_ms > 0 && trace->step_ms < 1e6))
			return "t4_step_ms must be above 0 and below 1000000";
	}
	return NULL;
}

static const char *lines_read(struct trace_file *trace, struct text_file *text,
			      struct id_set *live)
{
	const char *wrong = NULL;
	char *line;

	while (!wrong && (line = text_line(text))) {
		struct trace_event *event;

		if (*line == '#') {
			wrong = trace_header(trace, line);
			continue;
		}
		event = event_add(trace);
		if (!event)
			return "no memory to read it";
		event->line = text->number;
		wrong = event_parse(trace, line, event, live);
		if (!wrong && trace->each)
			wrong = trace->each(trace->argument, event,
					    line + strlen(line) + 1);
	}
	if (wrong || text->error)
		return wrong ? wrong : text->error;
	if (!trace->last_id)
		return "no malloc in it";
	if (live->count)
		return "the trace ends with live buffers (is it cut off?)";
	return NULL;
}

const char *trace_read(struct trace_file *trace, struct text_file *text)
{
	struct id_set live = {0};
	const char *wrong = lines_read(trace, text, &live);

	free(live.bits);
	return wrong;
}

bool trace_is_event(const char *line)
{
	return !strncmp(line, "malloc,", 7) || !strncmp(line, "free,", 5) ||
	       !strncmp(line, "mark,", 5);
}

void trace_begin(struct trace_file *trace, const char *path)
{
	const char *base = strrchr(path, '/');

	memset(trace, 0, sizeof(*trace));
	trace->path = path;
	trace->streams = 1;
	snprintf(trace->name, sizeof(trace->name), "%s",
		 base ? base + 1 : path);
}

int trace_load(struct trace_file *trace, const char *path, char *line,
	       size_t size)
{
	struct text_file *text;
	const char *wrong;

	trace_begin(trace, path);
	text = malloc(sizeof(*text));
	if (!text || text_open(text, path)) {
		snprintf(line, size, "%s: %s", path, strerror(errno));
		free(text);
		return -1;
	}
	wrong = trace_read(trace, text);
	if (wrong)
		snprintf(line, size, "%s:%u: %s", path,
			 text->number ? text->number : 1, wrong);
	text_close(text);
	free(text);
	if (!wrong)
		return 0;
	trace_close(trace);
	return -1;
}

int trace_open(struct trace_file *trace, const char *path)
{
	char wrong[PATH_MAX + 256];
	int failed = trace_load(trace, path, wrong, sizeof(wrong));

	if (failed)
		fprintf(stderr, "%s: %s\n", program_invocation_short_name,
			wrong);
	return failed;
}

uint64_t trace_iteration_mallocs(const struct trace_file *trace, size_t mark)
{
	int iteration = trace->events[mark].iteration;
	uint64_t mallocs = 0;

	for (size_t i = mark; i < trace->count; i++) {
		const struct trace_event *event = &trace->events[i];

		if (event->kind == TRACE_MARK && event->iteration != iteration)
			break;
		mallocs += event->kind == TRACE_MALLOC;
	}
	return mallocs;
}

void trace_close(struct trace_file *trace)
{
	free(trace->events);
}
