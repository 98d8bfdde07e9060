#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "common/text.h"
#include "row.h"
#include "table.h"

/* What a field is, by how it is shown and compared. */
struct kind {
	void (*text)(const struct row *row, const void *field, char *text,
		     size_t size);
	int (*compare)(const void *a, const void *b);
};

static void number_text(const struct row *row, const void *field, char *text,
			size_t size)
{
	(void)row;
	snprintf(text, size, "%d", *(const int *)field);
}

static int number_compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

static void user_text(const struct row *row, const void *field, char *text,
		      size_t size)
{
	char room[4096];
	struct passwd user, *found = NULL;

	(void)field;
	if (!getpwuid_r(row->uid, &user, room, sizeof(room), &found) && found)
		text_plain(user.pw_name, text, size);
	else
		snprintf(text, size, "%u", (unsigned int)row->uid);
}

static int user_compare(const void *a, const void *b)
{
	uid_t left = *(const uid_t *)a, right = *(const uid_t *)b;

	return (left > right) - (left < right);
}

static void plain_text(const struct row *row, const void *field, char *text,
		       size_t size)
{
	(void)row;
	snprintf(text, size, "%s", (const char *)field);
}

static int plain_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Numbers first, by their values. */
static int device_compare(const void *a, const void *b)
{
	size_t length = strlen(a), other = strlen(b);

	if (length != other)
		return length < other ? -1 : 1;
	return strcmp(a, b);
}

/* As text_bytes, without its space and the end of its unit. */
static void bytes_text(const struct row *row, const void *field, char *text,
		       size_t size)
{
	char full[TEXT_BYTES_SIZE];
	int length;

	(void)row;
	text_bytes(*(const int64_t *)field, full);
	length = (int)strcspn(full, " ");
	snprintf(text, size, "%.*s%.1s", length, full,
		 full[length] ? full + length + 1 : "");
}

static int bytes_compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

static void share_text(const struct row *row, const void *field, char *text,
		       size_t size)
{
	double share = *(const double *)field;
	int tenths = (int)(1000 * share);

	if (share < 0)
		snprintf(text, size, "%s", row->requests ? "?" : "-");
	else if (row->hits == row->requests)
		snprintf(text, size, "100%%");
	else
		snprintf(text, size, "%d.%d%%", tenths / 10, tenths % 10);
}

/* In five characters at most. */
static void rate_text(const struct row *row, const void *field, char *text,
		      size_t size)
{
	static const char units[] = "kMGTPE";
	double rate = *(const double *)field;
	int unit = -1;

	(void)row;
	for (; rate >= 999.5 && units[unit + 1]; unit++)
		rate /= 1000;
	if (rate < 0)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.*f%.1s",
			 rate > 0 && rate < (unit < 0 ? 9.95 : 99.95) ? 1 : 0,
			 rate, unit < 0 ? "" : units + unit);
}

static int rate_compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void recorded_text(const struct row *row, const void *field, char *text,
			  size_t size)
{
	(void)row;
	snprintf(text, size, "%s", *(const char *)field ? "R" : "");
}

static int recorded_compare(const void *a, const void *b)
{
	return !!*(const char *)a - !!*(const char *)b;
}

static const struct kind number_kind = {number_text, number_compare};
static const struct kind user_kind = {user_text, user_compare};
static const struct kind plain_kind = {plain_text, plain_compare};
static const struct kind device_kind = {plain_text, device_compare};
static const struct kind bytes_kind = {bytes_text, bytes_compare};
static const struct kind share_kind = {share_text, rate_compare};
static const struct kind rate_kind = {rate_text, rate_compare};
static const struct kind recorded_kind = {recorded_text, recorded_compare};

#define FIELD(name) offsetof(struct row, name)

/* clang-format off */
const struct column_row columns[COLUMN_COUNT] = {
	[COLUMN_PID] = {"PID", "the number of the process",
		&number_kind, FIELD(pid), 5, 7, false, false},
	[COLUMN_USER] = {"USER", "whose it is, where there are several users",
		&user_kind, FIELD(uid), 4, 8, true, false},
	[COLUMN_DEVICE] = {"DEV", "the program's device; host is pinned memory",
		&device_kind, FIELD(device), 4, 4, false, false},
	[COLUMN_POOL] = {"POOL", "the pool that serves it",
		&plain_kind, FIELD(pool), 7, 21, true, false},
	[COLUMN_LIVE] = {"LIVE", "bytes asked for and not freed yet",
		&bytes_kind, FIELD(live), 5, 5, false, true},
	[COLUMN_RESERVED] = {"RESVD", "bytes reserved on the device",
		&bytes_kind, FIELD(reserved), 5, 5, false, true},
	[COLUMN_IDLE] = {"IDLE", "bytes freed, and kept for reuse",
		&bytes_kind, FIELD(idle), 5, 5, false, true},
	[COLUMN_HITS] = {"HITS", "share of the requests that idle memory served",
		&share_kind, FIELD(share), 5, 5, false, true},
	[COLUMN_REQUESTS] = {"REQ/S", "requests served, a second",
		&rate_kind, FIELD(requests_rate), 5, 5, false, true},
	[COLUMN_CALLS] = {"DRV/S", "allocations and frees by the driver, a second",
		&rate_kind, FIELD(calls_rate), 5, 5, false, true},
	[COLUMN_FENCES] = {"FEN/S", "fences, a second",
		&rate_kind, FIELD(fences_rate), 5, 5, false, true},
	[COLUMN_RECORDED] = {"R", "R where the program is recorded",
		&recorded_kind, FIELD(recording), 1, 1, true, false},
	[COLUMN_COMMAND] = {"COMMAND", "the program, and its arguments",
		&plain_kind, FIELD(command), 7, ROW_COMMAND_SIZE, true, false},
};
/* clang-format on */

static const void *field_of(enum column column, const struct row *row)
{
	return (const char *)row + columns[column].field;
}

void column_text(enum column column, const struct row *row, char *text,
		 size_t size)
{
	columns[column].kind->text(row, field_of(column, row), text, size);
}

int column_compare(enum column column, const struct row *a, const struct row *b)
{
	return columns[column].kind->compare(field_of(column, a),
					     field_of(column, b));
}

/* The width of a column on its own. */
static int width_of(const struct table *table, enum column column)
{
	const struct column_row *row = &columns[column];
	int width = row->least, length;
	char text[ROW_COMMAND_SIZE];

	for (int i = 0; i < table->count && row->least < row->most; i++) {
		column_text(column, table_row(table, i), text, sizeof(text));
		length = (int)strlen(text);
		width = length > width ? length : width;
	}
	return width < row->most ? width : row->most;
}

/* Whether the programs that are shown have several users. */
static bool has_users(const struct table *table)
{
	for (int i = 1; i < table->count; i++)
		if (table_row(table, i)->uid != table_row(table, 0)->uid)
			return true;
	return false;
}

/* Chooses the columns, with that of users or without, where a pool's name is at
 * most so wide. Returns whether all of them fit. */
static bool choose(struct layout *layout, const struct table *table, int width,
		   bool users, int pool_most)
{
	int at = COLUMN_FIRST, needed;

	memset(layout, 0, sizeof(*layout));
	for (int i = 0; i < COLUMN_COUNT; i++) {
		if (i == COLUMN_USER && !users)
			continue;
		/* The last column takes what is left of the line. */
		needed = i == COLUMN_COMMAND ? columns[i].least
					     : width_of(table, i);
		if (i == COLUMN_POOL && needed > pool_most)
			needed = pool_most;
		if (at + needed > width)
			return false;
		layout->column[layout->count] = i;
		layout->at[layout->count] = at;
		layout->width[layout->count++] =
			i == COLUMN_COMMAND ? width - at : needed;
		at += needed + 1;
	}
	return true;
}

void layout_choose(struct layout *layout, const struct table *table, int width)
{
	enum { POOL_SHORT = 14 }; /* of most names without a backing */
	int pool_most = columns[COLUMN_POOL].most;
	bool users = has_users(table);

	if (users && (choose(layout, table, width, true, pool_most) ||
		      choose(layout, table, width, true, POOL_SHORT)))
		return;
	if (!choose(layout, table, width, false, pool_most))
		choose(layout, table, width, false, POOL_SHORT);
}
