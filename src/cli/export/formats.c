/* What recordings can be written as. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const kinds[MNM_RECORD_KINDS] = {
	[MNM_RECORD_LIVE] = "live",         [MNM_RECORD_ALLOC] = "malloc",
	[MNM_RECORD_FREE] = "free",         [MNM_RECORD_FAILED] = "failed",
	[MNM_RECORD_SWAP] = "swap",         [MNM_RECORD_TRIM] = "trim",
	[MNM_RECORD_MARK] = "mark",         [MNM_RECORD_PUSH] = "push",
	[MNM_RECORD_POP] = "pop",           [MNM_RECORD_MODULE] = "module",
	[MNM_RECORD_RESERVED] = "reserved", [MNM_RECORD_TOOK] = "took",
};

static bool comes(const struct mnm_record_event *event)
{
	return event->kind == MNM_RECORD_LIVE ||
	       event->kind == MNM_RECORD_ALLOC;
}

unsigned int export_stream(struct export *export, uint32_t stream)
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

/* A text of the recording, in ASCII, without what CSV and JSON would have to
 * escape. */
static void text_put(const struct export *export, const char *text)
{
	for (; text && *text; text++)
		fputc(*text < ' ' || *text > '~' || *text == '"' ||
				      *text == ',' || *text == '\\'
			      ? '?'
			      : *text,
		      export->to);
}

/* What spreadsheets read: all that is known. */
static void csv_begin(struct export *export)
{
	fputs("time_ns,kind,address,size,span,device,stream,thread,pool,served,"
	      "driver,fence,ordered,site,text\n",
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
		event->time, kinds[event->kind], event->address, event->size,
		event->span);
	device_put(export, event->device);
	fprintf(export->to, ",%u,%u,%s,%d,%d,%d,%d,%#" PRIx64 ",",
		event->stream, event->thread,
		mnm_record_pool(export->record, event->pool),
		!!(event->flags & MNM_RECORD_SERVED),
		!!(event->flags & MNM_RECORD_DRIVER),
		!!(event->flags & MNM_RECORD_FENCE),
		!!(event->flags & MNM_RECORD_ORDERED), event->site);
	text_put(export, event->text);
	fputc('\n', export->to);
}

/* The format of examples/traces/FORMAT.md. */
static void trace_begin_out(struct export *export)
{
	fprintf(export->to,
		"# trace: recording of pid %d\n# format: 1\n"
		"# columns: malloc,id,bytes,stream,class,name | free,id | "
		"mark,iter,phase\n",
		export->pid);
}

static void trace_event_out(struct export *export,
			    const struct mnm_record_event *event,
			    const struct live_block *block)
{
	if (event->kind == MNM_RECORD_MARK)
		fprintf(export->to, "mark,%" PRIu64 ",iteration\n",
			export->written++);
	if (!block)
		return;
	if (comes(event))
		fprintf(export->to,
			"malloc,%" PRIu64 ",%" PRIu64 ",%u,other,\n", block->id,
			event->size, export_stream(export, event->stream));
	else
		fprintf(export->to, "free,%" PRIu64 "\n", block->id);
}

/* In a trace nothing is live at the end. */
static void trace_end_out(struct export *export)
{
	const struct live_block *block;

	while ((block = live_blocks_take(&export->live)))
		fprintf(export->to, "free,%" PRIu64 "\n", block->id);
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
	if (block)
		fprintf(export->to, "%u,%.6f,%s,%#" PRIx64 ",%" PRIu64 ",%#x\n",
			event->thread,
			export->began + (double)event->time * 1e-9,
			comes(event) ? "allocate" : "deallocate",
			event->address, block->event.size, event->stream);
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

	if (comes(event))
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

static void chrome_event(struct export *export,
			 const struct mnm_record_event *event,
			 const struct live_block *block)
{
	const char *phase = event->kind == MNM_RECORD_PUSH  ? "B"
			    : event->kind == MNM_RECORD_POP ? "E"
							    : "i";

	if (block) {
		chrome_live(export, event, block);
		return;
	}
	if (event->kind == MNM_RECORD_RESERVED)
		chrome_bytes(export, event, "reserved", event->size);
	if (event->kind == MNM_RECORD_TOOK)
		chrome_took(export, event);
	if (comes(event) || event->kind == MNM_RECORD_FREE ||
	    event->kind >= MNM_RECORD_MODULE)
		return;
	chrome_next(export);
	fprintf(export->to, "{\"ph\":\"%s\",\"name\":\"%s%s", phase,
		event->text && event->kind != MNM_RECORD_SWAP
			? ""
			: kinds[event->kind],
		event->kind == MNM_RECORD_SWAP ? " to " : "");
	text_put(export, event->text);
	fprintf(export->to, "\",\"ts\":%.3f,\"pid\":%d,\"tid\":%u}",
		(double)event->time * 1e-3, export->pid, event->thread);
}

static void chrome_end(struct export *export)
{
	fputs("\n]}\n", export->to);
}

/* clang-format off */
const struct export_format export_formats[] = {
	{"csv", "each event with all that is known of it", false,
	 csv_begin, csv_event, NULL, NULL},
	{"trace", "as examples/traces, of one device: for mnm plan", true,
	 trace_begin_out, trace_event_out, trace_end_out, NULL},
	{"rmm", "as RMM's logging adaptor writes", false,
	 rmm_begin, rmm_event, NULL, NULL},
	{"chrome", "JSON that Perfetto and chrome://tracing show", false,
	 chrome_begin, chrome_event, chrome_end, NULL},
	{"folded", "who held a device's peak, for flame graphs", true,
	 NULL, NULL, NULL, folded_write},
	{NULL, NULL, false, NULL, NULL, NULL, NULL},
};
/* clang-format on */
