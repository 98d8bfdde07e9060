#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

void table_open(struct table *table)
{
	memset(table, 0, sizeof(*table));
	table_sort(table, COLUMN_RESERVED);
}

void table_close(struct table *table)
{
	rows_free(&table->rows);
	free(table->shown);
}

const struct row *table_row(const struct table *table, int index)
{
	return &table->rows.list[table->shown[index]];
}

const struct row *table_selected(const struct table *table)
{
	return table->count ? table_row(table, table->selected) : NULL;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct table *table = arg;
	const struct row *left = &table->rows.list[*(const int *)a];
	const struct row *right = &table->rows.list[*(const int *)b];
	int order = column_compare(table->sort, left, right);

	if (order)
		return table->falling ? -order : order;
	order = column_compare(COLUMN_PID, left, right);
	return order ? order : column_compare(COLUMN_DEVICE, left, right);
}

static void select_at(struct table *table, int index)
{
	if (index >= table->count)
		index = table->count - 1;
	table->selected = index > 0 ? index : 0;
	if (table->count)
		table->anchor = *table_selected(table);
}

static bool is_shown(const struct table *table, const struct row *row)
{
	return (table->all || !row->waiting) &&
	       strcasestr(row->command, table->filter);
}

/* Shows the rows anew, after any change. */
static void arrange(struct table *table)
{
	int at = table->selected;

	table->count = 0;
	for (int i = 0; i < table->rows.count && table->shown; i++)
		if (is_shown(table, &table->rows.list[i]))
			table->shown[table->count++] = i;
	if (table->count)
		qsort_r(table->shown, (size_t)table->count,
			sizeof(*table->shown), compare, table);
	for (int i = 0; i < table->count; i++)
		if (row_is(table_row(table, i), &table->anchor)) {
			at = i;
			break;
		}
	select_at(table, at);
}

void table_update(struct table *table, struct rows *rows)
{
	rows_follow(rows, &table->rows);
	rows_free(&table->rows);
	free(table->shown);
	table->rows = *rows;
	memset(rows, 0, sizeof(*rows));
	table->shown =
		calloc((size_t)table->rows.count + 1, sizeof(*table->shown));
	arrange(table);
}

void table_move(struct table *table, int rows)
{
	int64_t at = (int64_t)table->selected + rows;

	select_at(table, at < 0               ? 0
			 : at >= table->count ? table->count - 1
					      : (int)at);
}

void table_scroll(struct table *table, int height)
{
	int most = table->count > height ? table->count - height : 0;

	if (table->selected >= table->top + height)
		table->top = table->selected - height + 1;
	if (table->top > table->selected)
		table->top = table->selected;
	if (table->top > most)
		table->top = most;
}

void table_sort(struct table *table, enum column column)
{
	table->sort = column;
	table->falling = columns[column].figure;
	arrange(table);
}

void table_sort_next(struct table *table, int step)
{
	int column = (int)table->sort + step;

	if (column >= 0 && column < COLUMN_COUNT)
		table_sort(table, column);
}

void table_sort_turn(struct table *table)
{
	table->falling = !table->falling;
	arrange(table);
}

void table_filter(struct table *table, const char *text)
{
	snprintf(table->filter, sizeof(table->filter), "%s", text);
	arrange(table);
}

void table_show_all(struct table *table, bool all)
{
	table->all = all;
	arrange(table);
}

/* Adds what is known. */
static void add(int64_t *to, int64_t bytes)
{
	if (bytes > 0 && __builtin_add_overflow(*to, bytes, to))
		*to = INT64_MAX;
}

static void sum_add(struct device_sum *sum, const struct row *row)
{
	if (!sum->programs++)
		sum->limit = row->limit;
	else if (!row->limit || !sum->limit)
		sum->limit = 0;
	else
		add(&sum->limit, row->limit);
	add(&sum->live, row->live);
	add(&sum->reserved, row->reserved);
	add(&sum->idle, row->idle);
	add(&sum->peak, row->peak);
	if (row->total > sum->total)
		sum->total = row->total;
}

static int sum_compare(const void *a, const void *b)
{
	struct row left, right;

	memcpy(left.device, ((const struct device_sum *)a)->device,
	       sizeof(left.device));
	memcpy(right.device, ((const struct device_sum *)b)->device,
	       sizeof(right.device));
	return column_compare(COLUMN_DEVICE, &left, &right);
}

int table_sums(const struct table *table, struct device_sum *sums, int most)
{
	int count = 0, k;

	for (int i = 0; i < table->rows.count; i++) {
		const struct row *row = &table->rows.list[i];

		if (!strcmp(row->device, "-") || !strcmp(row->device, "?"))
			continue;
		for (k = 0; k < count; k++)
			if (!strcmp(sums[k].device, row->device))
				break;
		if (k == most)
			continue;
		if (k == count) {
			memset(&sums[count++], 0, sizeof(*sums));
			memcpy(sums[k].device, row->device,
			       sizeof(row->device));
		}
		sum_add(&sums[k], row);
	}
	qsort(sums, (size_t)count, sizeof(*sums), sum_compare);
	return count;
}

struct program_sum table_programs(const struct table *table)
{
	struct program_sum sum = {0, 0, 0};

	for (int i = 0; i < table->rows.count; i++) {
		const struct row *row = &table->rows.list[i];
		int k;

		for (k = 0; k < i; k++)
			if (table->rows.list[k].pid == row->pid)
				break;
		if (k < i)
			continue;
		sum.programs += !row->waiting;
		sum.waiting += row->waiting;
		sum.silent += row_is_silent(row);
	}
	return sum;
}
