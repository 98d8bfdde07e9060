/* What was live at a device's peak, as folded stacks: lines of frames, the
 * outermost first, and bytes. flamegraph.pl, inferno and speedscope read it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/report/holders.h"
#include "cli/report/stacks.h"
#include "cli/report/summary.h"
#include "cli/report/symbols.h"
#include "export.h"

static void code_note(void *argument, const struct mnm_record_event *event)
{
	symbols_note(argument, event);
}

/* A frame has no semicolon, which separates frames. */
static void frame_put(FILE *to, const char *frame)
{
	for (; *frame; frame++)
		fputc(*frame == ';' ? ':' : *frame, to);
}

/* The frames of a stack, the outermost first: "file`function". */
static void stack_put(const struct export *export,
		      const struct summary *summary, uint64_t number)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	size_t depth = stack_depth(summary, number);

	if (!depth)
		fputs("(no stack)", export->to);
	while (depth--) {
		stack_frame(summary, number, depth, export->symbols, file,
			    function);
		frame_put(export->to, file);
		fputc('`', export->to);
		frame_put(export->to, *function ? function : "?");
		if (depth)
			fputc(';', export->to);
	}
}

/* A recording that has stacks is told by these. */
static void stacks_write(const struct export *export,
			 const struct summary *summary,
			 const struct device_summary *device)
{
	struct holders merged = stacks_merge(summary, device, export->symbols);

	for (size_t i = 0; i < merged.count; i++) {
		stack_put(export, summary, merged.at[i].key);
		fprintf(export->to, " %" PRIu64 "\n", merged.at[i].bytes);
	}
	free(merged.at);
}

/* The frames of a holder. */
static void frames_put(FILE *to, const struct named_holder *holder)
{
	frame_put(to, holder->file);
	if (!*holder->function)
		return;
	fputc(';', to);
	frame_put(to, holder->function);
}

static bool peak_write(const struct export *export,
		       const struct device_summary *device)
{
	size_t count = 0;
	struct named_holder *holders =
		holders_name(device, export->symbols, &count);

	if (!holders)
		return !failure("no memory");
	for (size_t i = 0; i < count; i++) {
		frames_put(export->to, &holders[i]);
		fprintf(export->to, " %" PRIu64 "\n", holders[i].bytes);
	}
	free(holders);
	return true;
}

/* The first device that memory is of; NULL without one. Says that there are
 * others. */
static const struct device_summary *first_choose(const struct summary *summary)
{
	const struct device_summary *first = NULL;
	uint64_t others = 0;

	for (int i = 0; i < MNM_RECORD_HOST; i++) {
		if (first)
			others += summary->devices[i].requests;
		else if (summary->devices[i].peak)
			first = &summary->devices[i];
	}
	if (others)
		failure("%" PRIu64 " requests of other devices are left out; "
			"--device chooses one",
			others);
	return first;
}

/* The one that is wanted. */
static const struct device_summary *device_choose(const struct export *export,
						  const struct summary *summary)
{
	if (export->device >= 0)
		return export->device <= UINT8_MAX
			       ? &summary->devices[export->device]
			       : NULL;
	return first_choose(summary);
}

static bool summary_write(struct export *export, struct summary *summary,
			  struct mnm_record *record)
{
	const struct device_summary *device;
	char wrong[4352], error[4352];
	bool whole = true;

	if (!summary_read(summary, export->path, code_note, export->symbols,
			  wrong, error, sizeof(error)))
		return !failure("%s", error);
	device = device_choose(export, summary);
	if (device && summary->stack_count)
		stacks_write(export, summary, device);
	else if (device)
		whole = peak_write(export, device);
	while (export_goes_on(export) && mnm_record_next(record))
		;
	return export_end_tell(export, record) && whole;
}

bool folded_write(struct export *export, struct mnm_record *record)
{
	struct summary *summary = calloc(1, sizeof(*summary));
	bool whole;

	if (!summary)
		return !failure("no memory");
	whole = summary_write(export, summary, record);
	summary_release(summary);
	free(summary);
	return whole;
}
