/* Lifetimes as CSV. Nothing is quoted, so no field holds a comma. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "lifetimes.h"
#include "trace/text_file.h"

/* COLUMN(name, needed) */
#define COLUMN_LIST \
	COLUMN(id, true) \
	COLUMN(lower, true) \
	COLUMN(upper, true) \
	COLUMN(size, true) \
	COLUMN(align, false) \
	COLUMN(class, false) \
	COLUMN(offset, false)

/* clang-format off */
enum column {
#define COLUMN(name, needed) COLUMN_##name,
	COLUMN_LIST
#undef COLUMN
	COLUMNS
};

static const struct {
	const char *name;
	bool needed;
} columns[COLUMNS] = {
#define COLUMN(name, needed) {#name, needed},
	COLUMN_LIST
#undef COLUMN
};
/* clang-format on */

/* Which buffer has an id: a table of indices, plus 1, in which a search goes
 * from where the id's hash says to the next that is 0. */
struct id_table {
	uint32_t *slots;
	size_t size; /* a power of two, at least twice the ids; or 0 */
};

struct csv {
	struct lifetimes *lifetimes;
	struct text_file *text;
	struct id_table table;
	int at[COLUMNS]; /* which field of a line it is, from 0; -1: none */
	int fields;      /* of a line */
};

/* FNV-1a. */
static size_t id_hash(const char *id)
{
	uint64_t hash = 14695981039346656037u;

	while (*id)
		hash = (hash ^ (unsigned char)*id++) * 1099511628211u;
	return hash ^ hash >> 32;
}

/* The slot of the id, or the free one that it is to have. */
static uint32_t *id_slot(const struct csv *csv, const char *id)
{
	size_t mask = csv->table.size - 1, i = id_hash(id) & mask;
	uint32_t *slots = csv->table.slots;

	while (slots[i] &&
	       strcmp(lifetimes_id(csv->lifetimes, slots[i] - 1), id) != 0)
		i = (i + 1) & mask;
	return &slots[i];
}

static bool table_grow(struct csv *csv)
{
	struct id_table *table = &csv->table;
	size_t size = table->size ? 2 * table->size : 4096;
	uint32_t *slots;

	if (table->slots && 2 * (csv->lifetimes->count + 1) <= table->size)
		return true;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	free(table->slots);
	*table = (struct id_table){slots, size};
	for (size_t i = 0; i < csv->lifetimes->count; i++)
		*id_slot(csv, lifetimes_id(csv->lifetimes, i)) =
			(uint32_t)i + 1;
	return true;
}

/* A field, as far as it is printed. */
struct shown {
	char text[40];
};

static const char *shown(const char *field, struct shown *to)
{
	return text_plain(field, to->text, sizeof(to->text));
}

static const char *number_read(struct csv *csv, char *const *fields,
			       enum column column, uint64_t *number)
{
	struct shown text;
	const char *field;
	char *end;

	*number = 0;
	if (csv->at[column] < 0)
		return NULL;
	field = fields[csv->at[column]];
	errno = 0;
	*number = strtoull(field, &end, 10);
	if (*field >= '0' && *field <= '9' && !*end && !errno)
		return NULL;
	return lifetimes_wrong(csv->lifetimes,
			       "%s '%s' is no whole number below 2^64",
			       columns[column].name, shown(field, &text));
}

/* Cuts a line at its commas. Returns the number of fields, of which those up to
 * `most` are stored. */
static int line_cut(char *line, char **fields, int most)
{
	int count = 0;

	for (char *field = line; field; count++) {
		char *comma = strchr(field, ',');

		if (comma)
			*comma++ = '\0';
		if (count < most)
			fields[count] = field;
		field = comma;
	}
	return count;
}

static const char *header_read(struct csv *csv, char *line)
{
	char *fields[COLUMNS + 1];
	struct shown text;

	csv->fields = line_cut(line, fields, COLUMNS + 1);
	memset(csv->at, -1, sizeof(csv->at));
	for (int i = 0; i < csv->fields && i <= COLUMNS; i++) {
		int column = 0;

		while (column < COLUMNS &&
		       strcmp(columns[column].name, fields[i]) != 0)
			column++;
		if (column == COLUMNS)
			return lifetimes_wrong(
				csv->lifetimes,
				"'%s' is no column; allowed: id, lower, upper, "
				"size, align, class, offset",
				shown(fields[i], &text));
		if (csv->at[column] >= 0)
			return lifetimes_wrong(csv->lifetimes,
					       "column %s is named twice",
					       columns[column].name);
		csv->at[column] = i;
	}
	for (int i = 0; i < COLUMNS; i++)
		if (columns[i].needed && csv->at[i] < 0)
			return lifetimes_wrong(csv->lifetimes,
					       "there is no column %s",
					       columns[i].name);
	return NULL;
}

/* Adds the buffer of a line that is cut. */
static const char *buffer_read(struct csv *csv, char *const *fields)
{
	const char *id = fields[csv->at[COLUMN_id]], *wrong;
	struct plan_buffer buffer;
	unsigned char class_index = 0;
	struct shown text;
	uint32_t *slot;

	if ((wrong = number_read(csv, fields, COLUMN_lower, &buffer.lower)) ||
	    (wrong = number_read(csv, fields, COLUMN_upper, &buffer.upper)) ||
	    (wrong = number_read(csv, fields, COLUMN_size, &buffer.size)) ||
	    (wrong = number_read(csv, fields, COLUMN_align, &buffer.align)))
		return wrong;
	if (!*id)
		return "the id is empty";
	if (!table_grow(csv))
		return "no memory to read it";
	slot = id_slot(csv, id);
	if (*slot)
		return lifetimes_wrong(csv->lifetimes, "id '%s' is used twice",
				       shown(id, &text));
	if (csv->at[COLUMN_class] >= 0)
		class_index = lifetimes_class(csv->lifetimes,
					      fields[csv->at[COLUMN_class]]);
	wrong = lifetimes_add(csv->lifetimes, buffer, id, class_index);
	*slot = wrong ? 0 : (uint32_t)csv->lifetimes->count;
	return wrong;
}

static const char *lines_read(struct csv *csv)
{
	char *fields[COLUMNS], *line;
	const char *wrong;
	int count;

	while ((line = text_line(csv->text))) {
		if (!*line)
			continue;
		count = line_cut(line, fields, COLUMNS);
		if (count != csv->fields)
			return lifetimes_wrong(
				csv->lifetimes,
				"%d fields, where the header has %d", count,
				csv->fields);
		wrong = buffer_read(csv, fields);
		if (wrong)
			return wrong;
	}
	if (csv->text->error)
		return csv->text->error;
	return csv->lifetimes->count ? NULL : "no buffer in it";
}

const char *lifetimes_read_csv(struct lifetimes *lifetimes,
			       struct text_file *text, char *header)
{
	struct csv csv = {.lifetimes = lifetimes, .text = text};
	const char *wrong = header_read(&csv, header);

	lifetimes->has_align = csv.at[COLUMN_align] >= 0;
	if (!wrong)
		wrong = lines_read(&csv);
	free(csv.table.slots);
	return wrong;
}
