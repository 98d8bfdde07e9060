/* The format of examples/traces/FORMAT.md. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli/report/holders.h"
#include "common/text.h"
#include "export.h"
#include "trace/text_file.h"
#include "trace/trace_file.h"

/* The stream as traces number it, which know 64. */
static unsigned int trace_stream(struct export *export, uint32_t stream)
{
	const unsigned int most =
		sizeof(export->streams) / sizeof(*export->streams);
	unsigned int i = 0;

	if (!stream)
		return 0;
	while (i < export->stream_count && export->streams[i] != stream)
		i++;
	if (i == export->stream_count && i < most - 1)
		export->streams[export->stream_count++] = stream;
	return i + 1 < most ? i + 1 : most - 1;
}

/* A recording that was made from a trace has the trace's own first lines. */
static bool header_put(struct export *export)
{
	const json_t *header = json_object_get(export->source, "header");
	char line[TEXT_LINE_SIZE];

	for (size_t i = 0; i < json_array_size(header); i++)
		fprintf(export->to, "#%s\n",
			text_plain(json_string_value(json_array_get(header, i)),
				   line, sizeof(line)));
	return json_array_size(header);
}

void trace_begin_out(struct export *export)
{
	if (header_put(export))
		return;
	fprintf(export->to,
		"# trace: recording of pid %d\n# format: 1\n"
		"# columns: malloc,id,bytes,stream,class,name | free,id | "
		"mark,iter,phase\n",
		export->pid);
}

/* Whether a range is a mark of a trace: ITERATION,PHASE. */
static bool is_mark(const char *text)
{
	const char *at = *text == '-' ? text + 1 : text;

	if (!isdigit((unsigned char)*at))
		return false;
	while (isdigit((unsigned char)*at))
		at++;
	return *at == ',' && at[1];
}

/* An iteration that has begun, unless a range says so itself. */
static void mark_put(struct export *export)
{
	if (export->marked)
		fprintf(export->to, "mark,%" PRIu64 ",iteration\n",
			export->written - 1);
	export->marked = false;
}

static void range_put(struct export *export, const char *text)
{
	char line[TEXT_LINE_SIZE];

	if (!text || !is_mark(text))
		return;
	export->marked = false;
	fprintf(export->to, "mark,%s\n", text_plain(text, line, sizeof(line)));
}

/* The name's file is the class if traces know it. */
static void malloc_put(struct export *export, const struct live_block *block)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	const struct mnm_record_event *event = &block->event;
	int known = 0;

	symbols_find(export->symbols, event->site, file, function,
		     sizeof(file));
	while (known < TRACE_OTHER && strcmp(trace_classes[known], file) != 0)
		known++;
	for (char *at = function; *at; at++)
		if (*at == ',')
			*at = '?';
	fprintf(export->to, "malloc,%" PRIu64 ",%" PRIu64 ",%u,%s,%s\n",
		block->id, event->size, trace_stream(export, event->stream),
		trace_classes[known], function);
}

void trace_event_out(struct export *export,
		     const struct mnm_record_event *event,
		     const struct live_block *block)
{
	if (event->kind == MNM_RECORD_NAME)
		symbols_note(export->symbols, event);
	if (event->kind == MNM_RECORD_MARK) {
		mark_put(export);
		export->marked = true;
		export->written++;
	}
	if (event->kind == MNM_RECORD_PUSH)
		range_put(export, event->text);
	if (!block)
		return;
	mark_put(export);
	if (export_comes(event))
		malloc_put(export, block);
	else
		fprintf(export->to, "free,%" PRIu64 "\n", block->id);
}

/* In a trace nothing is live at the end. */
void trace_end_out(struct export *export)
{
	const struct live_block *block;

	mark_put(export);
	while ((block = live_blocks_take(&export->live)))
		fprintf(export->to, "free,%" PRIu64 "\n", block->id);
}
