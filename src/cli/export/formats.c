/* What recordings can be written as. */
#include "export.h"

#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "kinds.h"

/* A text of the recording, in ASCII, without what JSON would have to escape. */
static void text_put(const struct export *export, const char *text)
{
	for (; text && *text; text++)
		fputc(*text < ' ' || *text > '~' || *text == '"' ||
				      *text == '\\'
			      ? '?'
			      : *text,
		      export->to);
}

/* A text as a field of CSV: in quotes where it has a comma or a quote. */
static void field_put(const struct export *export, const char *text)
{
	bool quoted = text && text[strcspn(text, ",\"")];

	if (quoted)
		fputc('"', export->to);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', export->to);
		fputc((*text >= ' ' && *text <= '~') || *text == '\t' ? *text
								      : '?',
		      export->to);
	}
	if (quoted)
		fputc('"', export->to);
}

/* What spreadsheets read: all that is known. */
static void csv_begin(struct export *export)
{
	fputs("time_ns,kind,address,size,span,device,stream,thread,pool,served,"
	      "driver,fence,ordered,site,stack,text\n",
	      export->to);
}

static void device_put(const struct export *export, unsigned int device)
{
	if (device == MNM_RECORD_HOST)
		fputs("host", export->to);
	else if (device != MNM_RECORD_NOWHERE)
		fprintf(export->to, "%u", device);
}

static void csv_event(struct export *export,
		      const struct mnm_record_event *event,
		      const struct live_block *block)
{
	(void)block;
	fprintf(export->to,
		"%" PRIu64 ",%s,%#" PRIx64 ",%" PRIu64 ",%" PRIu64 ",",
		event->time, record_kinds[event->kind], event->address,
		event->size, event->span);
	device_put(export, event->device);
	fprintf(export->to, ",%u,%u,%s,%d,%d,%d,%d,%#" PRIx64 ",%u,",
		event->stream, event->thread,
		mnm_record_pool(export->record, event->pool),
		!!(event->flags & MNM_RECORD_SERVED),
		!!(event->flags & MNM_RECORD_DRIVER),
		!!(event->flags & MNM_RECORD_FENCE),
		!!(event->flags & MNM_RECORD_ORDERED), event->site,
		event->stack);
	field_put(export, event->text);
	fputc('\n', export->to);
}

/* What RMM's logging adaptor writes, and its replay benchmark reads. */
static void rmm_begin(struct export *export)
{
	fputs("Thread,Time,Action,Pointer,Size,Stream\n", export->to);
}

static void rmm_event(struct export *export,
		      const struct mnm_record_event *event,
		      const struct live_block *block)
{
	if (!block)
		return;
	if (event->device == MNM_RECORD_HOST &&
	    export->device != MNM_RECORD_HOST) {
		export->left_out += export_comes(event);
		return;
	}
	fprintf(export->to, "%u,%.6f,%s,%#" PRIx64 ",%" PRIu64 ",%#x\n",
		event->thread, export->began + (double)event->time * 1e-9,
		export_comes(event) ? "allocate" : "free", event->address,
		block->event.size, event->stream);
}

/* A log of RMM's is of a device's memory. */
static void rmm_end(struct export *export)
{
	if (export->left_out)
		failure("%" PRIu64 " requests for pinned memory are left out; "
			"--device host writes these",
			export->left_out);
}

/* What Perfetto and chrome://tracing show: what lives, and what happened. */
static void chrome_begin(struct export *export)
{
	fprintf(export->to, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static void chrome_next(struct export *export)
{
	fputs(export->written++ ? ",\n" : "\n", export->to);
}

/* How many bytes of the event's device are, from then on, what `name` says. */
static void chrome_bytes(struct export *export,
			 const struct mnm_record_event *event, const char *name,
			 uint64_t bytes)
{
	chrome_next(export);
	fprintf(export->to, "{\"ph\":\"C\",\"name\":\"%s, %s", name,
		event->device == MNM_RECORD_HOST ? "" : "device ");
	device_put(export, event->device);
	fprintf(export->to,
		"\",\"ts\":%.3f,\"pid\":%d,\"args\":{\"bytes\":%" PRIu64 "}}",
		(double)event->time * 1e-3, export->pid, bytes);
}

static void chrome_live(struct export *export,
			const struct mnm_record_event *event,
			const struct live_block *block)
{
	uint64_t *bytes = &export->bytes[event->device];

	if (export_comes(event))
		*bytes += block->event.size;
	else
		*bytes -= block->event.size;
	chrome_bytes(export, event, "live", *bytes);
}

/* A call, which has ended by then. */
static void chrome_took(struct export *export,
			const struct mnm_record_event *event)
{
	chrome_next(export);
	fprintf(export->to,
		"{\"ph\":\"X\",\"name\":\"slow call\",\"ts\":%.3f,"
		"\"dur\":%.3f,\"pid\":%d,\"tid\":%u}",
		((double)event->time - (double)event->size) * 1e-3,
		(double)event->size * 1e-3, export->pid, event->thread);
}

/* Perfetto ends the innermost range that has the name. */
static void chrome_range(struct export *export,
			 const struct mnm_record_event *event)
{
	bool pushed =
		event->kind == MNM_RECORD_PUSH || event->kind == MNM_RECORD_POP;
	bool begins = event->kind == MNM_RECORD_PUSH ||
		      event->kind == MNM_RECORD_START;

	if (!begins && !export->ended)
		return;
	chrome_next(export);
	fprintf(export->to, "{\"ph\":\"%c\",\"cat\":\"nvtx\",\"name\":\"",
		"ebEB"[2 * pushed + begins]);
	text_put(export, begins ? event->text : export->ended);
	if (!pushed)
		fprintf(export->to, "\",\"id\":\"%#" PRIx64, event->address);
	fprintf(export->to, "\",\"ts\":%.3f,\"pid\":%d,\"tid\":%u}",
		(double)event->time * 1e-3, export->pid, event->thread);
}

static bool is_of_range(const struct mnm_record_event *event)
{
	return event->kind == MNM_RECORD_PUSH ||
	       event->kind == MNM_RECORD_POP ||
	       event->kind == MNM_RECORD_START ||
	       event->kind == MNM_RECORD_STOP;
}

/* Something that has happened. */
static void chrome_instant(struct export *export,
			   const struct mnm_record_event *event)
{
	chrome_next(export);
	fprintf(export->to, "{\"ph\":\"i\",\"name\":\"%s%s",
		event->text && event->kind != MNM_RECORD_SWAP
			? ""
			: record_kinds[event->kind],
		event->kind == MNM_RECORD_SWAP ? " to " : "");
	text_put(export, event->text);
	fprintf(export->to, "\",\"ts\":%.3f,\"pid\":%d,\"tid\":%u}",
		(double)event->time * 1e-3, export->pid, event->thread);
}

static void chrome_event(struct export *export,
			 const struct mnm_record_event *event,
			 const struct live_block *block)
{
	if (block) {
		chrome_live(export, event, block);
		return;
	}
	if (event->kind == MNM_RECORD_RESERVED)
		chrome_bytes(export, event, "reserved", event->size);
	if (event->kind == MNM_RECORD_TOOK)
		chrome_took(export, event);
	if (is_of_range(event))
		chrome_range(export, event);
	else if (event->kind == MNM_RECORD_FAILED ||
		 event->kind == MNM_RECORD_SWAP ||
		 event->kind == MNM_RECORD_TRIM ||
		 event->kind == MNM_RECORD_MARK ||
		 event->kind == MNM_RECORD_POINT)
		chrome_instant(export, event);
}

static void chrome_end(struct export *export)
{
	fputs("\n]}\n", export->to);
}

/* clang-format off */
const struct export_format export_formats[] = {
	{"csv", "each event with all that is known of it", false,
	 csv_begin, csv_event, NULL, NULL},
	{"trace", "as examples/traces, of one device [the first]", true,
	 trace_begin_out, trace_event_out, trace_end_out, NULL},
	{"rmm", "as RMM's logging adaptor writes", false,
	 rmm_begin, rmm_event, rmm_end, NULL},
	{"chrome", "JSON that Perfetto and chrome://tracing show", false,
	 chrome_begin, chrome_event, chrome_end, NULL},
	{"folded", "who held a device's peak [the first's], for flame graphs", true,
	 NULL, NULL, NULL, folded_write},
	{"torch", "a snapshot for PyTorch's viewer of memory", false,
	 NULL, NULL, NULL, torch_write},
	{NULL, NULL, false, NULL, NULL, NULL, NULL},
};
/* clang-format on */
