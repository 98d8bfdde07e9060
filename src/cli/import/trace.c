/* A trace, see examples/traces/FORMAT.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "import.h"
#include "trace/trace_file.h"

enum {
	STEP_NS = 1000, /* a trace has no times: each event takes so long */
	HEADER_MOST = 1 << 14, /* bytes of the first lines that are kept */
	ALIGN = 512,           /* of addresses, which a trace has not either */
};

static const uint64_t first_address = UINT64_C(1) << 40;
static const uint64_t last_address = UINT64_C(1) << 62;

struct trace {
	struct import *import;
	uint64_t *addresses; /* by id */
	size_t room;
	uint64_t next, time;
	size_t header; /* bytes */
	int iteration;
	bool inside; /* of a range */
};

bool import_is_trace(const char *line)
{
	return *line == '#' || trace_is_event(line);
}

static const char *address_add(struct trace *trace, uint64_t id, uint64_t bytes)
{
	size_t room = trace->room ? 2 * trace->room : 1024;
	uint64_t *more;

	if (bytes > last_address - trace->next)
		return "the sizes add up to 2^62 or more";
	if (id >= trace->room) {
		more = realloc(trace->addresses, room * sizeof(*more));
		if (!more)
			return "no memory to read it";
		trace->addresses = more;
		trace->room = room;
	}
	trace->addresses[id] = trace->next;
	trace->next += (bytes + ALIGN - 1) / ALIGN * ALIGN;
	return NULL;
}

/* The name of a buffer, "CLASS\tNAME". */
static const char *site_read(struct trace *trace, const char *fields,
			     uint64_t *site)
{
	char name[TEXT_LINE_SIZE];
	char *comma;

	/* Behind id, bytes and stream, which were read. */
	for (int i = 0; i < 3; i++)
		fields = strchr(fields, ',') + 1;
	text_plain(fields, name, sizeof(name));
	comma = strchr(name, ',');
	if (!comma)
		return "not malloc,id,bytes,stream,class,name";
	*comma = '\t';
	if (!strcmp(name, "other\t")) {
		*site = 0;
		return NULL;
	}
	return import_name(trace->import, name, trace->time, site);
}

static const char *malloc_read(struct trace *trace,
			       const struct trace_event *from,
			       const char *fields)
{
	const char *wrong = address_add(trace, from->id, from->bytes);
	struct mnm_record_event event = {
		.kind = MNM_RECORD_ALLOC,
		.flags = MNM_RECORD_SERVED,
		.time = trace->time,
		.size = from->bytes,
		.stream = from->stream,
	};

	if (!wrong)
		wrong = site_read(trace, fields, &event.site);
	if (wrong)
		return wrong;
	event.address = trace->addresses[from->id];
	return import_event(trace->import, &event);
}

static const char *say(struct trace *trace, enum mnm_record_kind kind,
		       const char *text)
{
	return import_event(trace->import, &(struct mnm_record_event){
						   .kind = (uint8_t)kind,
						   .time = trace->time,
						   .device = MNM_RECORD_NOWHERE,
						   .text = text,
					   });
}

/* A phase is a range, whose name is the mark. */
static const char *mark_read(struct trace *trace,
			     const struct trace_event *from, const char *fields)
{
	const char *wrong = NULL;

	if (trace->inside)
		wrong = say(trace, MNM_RECORD_POP, NULL);
	if (!wrong && from->iteration >= 0 &&
	    from->iteration != trace->iteration)
		wrong = say(trace, MNM_RECORD_MARK, NULL);
	trace->iteration = from->iteration;
	trace->inside = true;
	return wrong ? wrong : say(trace, MNM_RECORD_PUSH, fields);
}

static const char *event_take(void *argument, const struct trace_event *from,
			      const char *fields)
{
	struct trace *trace = argument;
	struct import *import = trace->import;

	trace->time += STEP_NS;
	if (import->text->number % 4096 == 0)
		import_progress(import, (uint64_t)ftell(import->text->file));
	if (from->kind == TRACE_MALLOC)
		return malloc_read(trace, from, fields);
	if (from->kind == TRACE_MARK)
		return mark_read(trace, from, fields);
	return import_event(import,
			    &(struct mnm_record_event){
				    .kind = MNM_RECORD_FREE,
				    .flags = MNM_RECORD_SERVED,
				    .time = trace->time,
				    .address = trace->addresses[from->id],
			    });
}

/* The lines before the first event. */
static const char *header_read(struct trace *trace, struct trace_file *file)
{
	struct import *import = trace->import;
	const char *wrong = NULL;
	char *line;

	import->header = json_array();
	while (!wrong && (line = text_line(import->text)) && *line == '#') {
		wrong = trace_header(file, line);
		text_plain(line, line, TEXT_LINE_SIZE);
		trace->header += strlen(line);
		if (trace->header <= HEADER_MOST)
			json_array_append_new(import->header,
					      json_string(line + 1));
	}
	import->text->again = !wrong && line;
	return wrong;
}

const char *import_trace(struct import *import)
{
	struct trace trace = {
		.import = import, .next = first_address, .iteration = -1};
	struct trace_file file;
	const char *wrong;

	trace_begin(&file, import->path);
	file.each = event_take;
	file.argument = &trace;
	wrong = header_read(&trace, &file);
	if (!wrong)
		wrong = trace_read(&file, import->text);
	trace_close(&file);
	free(trace.addresses);
	return wrong;
}
