/* What `mnm export --format csv` has written. */
#include <stdlib.h>
#include <string.h>

#include "cli/export/kinds.h"
#include "common/text.h"
#include "fields.h"
#include "import.h"

enum { STACKS_MOST = 1 << 15 }; /* of a recording: docs/trace-format.md */

/* COLUMN(name) */
#define COLUMN_LIST \
	COLUMN(time_ns) \
	COLUMN(kind) \
	COLUMN(address) \
	COLUMN(size) \
	COLUMN(span) \
	COLUMN(device) \
	COLUMN(stream) \
	COLUMN(thread) \
	COLUMN(pool) \
	COLUMN(served) \
	COLUMN(driver) \
	COLUMN(fence) \
	COLUMN(ordered) \
	COLUMN(site) \
	COLUMN(stack) \
	COLUMN(text)

/* clang-format off */
enum column {
#define COLUMN(name) COLUMN_##name,
	COLUMN_LIST
#undef COLUMN
	COLUMNS
};

static const char *const columns[COLUMNS] = {
#define COLUMN(name) #name,
	COLUMN_LIST
#undef COLUMN
};
/* clang-format on */

struct csv {
	struct import *import;
	int at[COLUMNS]; /* which field of a line it is, from 0 */
	int fields;      /* of a line */
	char *cut[COLUMNS];
};

bool import_is_csv(const char *line)
{
	return strstr(line, "time_ns") && strchr(line, ',');
}

static const char *header_read(struct csv *csv, char *line)
{
	char plain[40];

	memset(csv->at, -1, sizeof(csv->at));
	csv->fields = fields_cut(line, csv->cut, COLUMNS);
	for (int i = 0; i < csv->fields && i < COLUMNS; i++) {
		int column = 0;

		while (column < COLUMNS &&
		       strcmp(columns[column], csv->cut[i]) != 0)
			column++;
		if (column == COLUMNS)
			return import_wrong(
				csv->import, "'%s' is no column",
				text_plain(csv->cut[i], plain, sizeof(plain)));
		csv->at[column] = i;
	}
	for (int i = 0; i < COLUMNS; i++)
		if (csv->at[i] < 0)
			return import_wrong(csv->import,
					    "there is no column %s",
					    columns[i]);
	return csv->fields == COLUMNS ? NULL : "a column is named twice";
}

static const char *field(const struct csv *csv, enum column column)
{
	return csv->cut[csv->at[column]];
}

static const char *number_wrong(struct csv *csv, enum column column)
{
	char plain[40];

	return import_wrong(
		csv->import, "%s '%s' is not what it may be", columns[column],
		text_plain(field(csv, column), plain, sizeof(plain)));
}

static const char *kind_read(struct csv *csv, uint8_t *kind)
{
	*kind = 0;
	while (*kind < MNM_RECORD_KINDS &&
	       strcmp(record_kinds[*kind], field(csv, COLUMN_kind)) != 0)
		(*kind)++;
	return *kind < MNM_RECORD_KINDS ? NULL : number_wrong(csv, COLUMN_kind);
}

static const char *device_read_field(struct csv *csv, uint8_t *device)
{
	const char *text = field(csv, COLUMN_device);
	uint64_t number = MNM_RECORD_NOWHERE;

	if (!strcmp(text, "host"))
		number = MNM_RECORD_HOST;
	else if (*text && !number_field(text, 10, MNM_RECORD_HOST - 1, &number))
		return number_wrong(csv, COLUMN_device);
	*device = (uint8_t)number;
	return NULL;
}

static const char *flags_read(struct csv *csv, uint8_t *flags)
{
	static const struct {
		enum column column;
		uint8_t flag;
	} rows[] = {
		{COLUMN_served, MNM_RECORD_SERVED},
		{COLUMN_driver, MNM_RECORD_DRIVER},
		{COLUMN_fence, MNM_RECORD_FENCE},
		{COLUMN_ordered, MNM_RECORD_ORDERED},
	};
	uint64_t number;

	*flags = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!number_field(field(csv, rows[i].column), 10, 1, &number))
			return number_wrong(csv, rows[i].column);
		*flags |= number ? rows[i].flag : 0;
	}
	return NULL;
}

static const char *numbers_read(struct csv *csv, struct mnm_record_event *event)
{
	uint64_t stream = 0, thread = 0, stack = 0;
	const struct {
		enum column column;
		uint64_t most, *to;
	} rows[] = {
		{COLUMN_time_ns, UINT64_MAX, &event->time},
		{COLUMN_address, UINT64_MAX, &event->address},
		{COLUMN_size, import_size_most(event->kind), &event->size},
		{COLUMN_span, import_size_most(event->kind), &event->span},
		{COLUMN_site, UINT64_MAX, &event->site},
		{COLUMN_stream, UINT32_MAX, &stream},
		{COLUMN_thread, UINT32_MAX, &thread},
		{COLUMN_stack, STACKS_MOST, &stack},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!number_field(field(csv, rows[i].column), 10, rows[i].most,
				  rows[i].to))
			return number_wrong(csv, rows[i].column);
	event->stream = (uint32_t)stream;
	event->thread = (uint32_t)thread;
	/* Its first address is the site. */
	if (stack && event->kind != MNM_RECORD_STACK) {
		event->flags |= MNM_RECORD_STACKED;
		event->site = stack;
	}
	return NULL;
}

static const char *line_read(struct csv *csv, char *line)
{
	struct mnm_record_event event = {0};
	const char *wrong;
	int count;

	if (!*line)
		return NULL;
	count = fields_cut(line, csv->cut, COLUMNS);
	if (count != csv->fields)
		return count < 0 ? "a quote has no end"
				 : import_wrong(csv->import,
						"%d fields, where the header "
						"has %d",
						count, csv->fields);
	if ((wrong = kind_read(csv, &event.kind)) ||
	    (wrong = device_read_field(csv, &event.device)) ||
	    (wrong = flags_read(csv, &event.flags)) ||
	    (wrong = numbers_read(csv, &event)) ||
	    (wrong = import_pool(csv->import, field(csv, COLUMN_pool),
				 &event.pool)))
		return wrong;
	event.text = field(csv, COLUMN_text);
	return import_event(csv->import, &event);
}

const char *import_csv(struct import *import)
{
	struct csv csv = {.import = import};
	const char *wrong = NULL;
	char *line = text_line(import->text);

	if (line)
		wrong = header_read(&csv, line);
	while (line && !wrong && (line = text_line(import->text))) {
		wrong = line_read(&csv, line);
		if (import->text->number % 4096 == 0)
			import_progress(import,
					(uint64_t)ftell(import->text->file));
	}
	return wrong ? wrong : import_text_end(import);
}
