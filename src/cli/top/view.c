#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/option.h"
#include "common/text.h"
#include "keys.h"
#include "paint.h"
#include "top.h"
#include "view.h"

enum {
	LABEL_WIDTH = 9, /* of "device 0 " */
	BAR_LEAST = 10,
	LINE_SIZE = 1024,
};

void view_open(void)
{
	paint_open();
}

/* The first line: what is shown, and when that was so. */
static void title_draw(const struct top *top)
{
	char line[LINE_SIZE], clock[16] = "";
	time_t now = time(NULL);
	struct tm local;
	struct program_sum sum = table_programs(&top->table);
	int used;

	used = snprintf(line, sizeof(line), "mnm top: %d program%s",
			sum.programs, sum.programs == 1 ? "" : "s");
	if (sum.silent)
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 " (%d not answering)", sum.silent);
	used += snprintf(line + used, sizeof(line) - (size_t)used,
			 ", by %s, %s", columns[top->table.sort].title,
			 top->table.falling ? "falling" : "rising");
	if (*top->table.filter)
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 ", filter: %s", top->table.filter);
	if (top->paused && !top->looking)
		snprintf(line + used, sizeof(line) - (size_t)used, ", paused");
	text_plain(line, line, sizeof(line));
	paint_text(0, 0, COLS, PAINT_HEAD, line);
	if (localtime_r(&now, &local))
		strftime(clock, sizeof(clock), " %H:%M:%S", &local);
	if ((int)strlen(line) + (int)strlen(clock) < COLS)
		paint_right(0, 0, COLS, PAINT_HEAD, clock);
}

/* The bar is of the limit if all programs have one, else of the device. */
static void sum_draw(int y, const struct device_sum *sum)
{
	bool host = !strcmp(sum->device, "host");
	int64_t all = sum->limit   ? sum->limit
		      : sum->total ? sum->total
				   : sum->peak;
	char label[sizeof("device ") + DEVICE_NAME_SIZE], live[TEXT_BYTES_SIZE],
		reserved[TEXT_BYTES_SIZE], most[TEXT_BYTES_SIZE], figures[80];
	int width;

	snprintf(label, sizeof(label), "%s%.*s", host ? "" : "device ",
		 DEVICE_NAME_SIZE - 1, sum->device);
	text_bytes(sum->live, live);
	text_bytes(sum->reserved, reserved);
	text_bytes(all, most);
	if (COLS >= 64)
		snprintf(figures, sizeof(figures),
			 " %8s live %8s reserved of %8s %s", live, reserved,
			 most,
			 sum->limit   ? "limit"
			 : sum->total ? "total"
				      : "peak");
	else
		snprintf(figures, sizeof(figures), " %s of %s", reserved, most);
	paint_text(y, 0, LABEL_WIDTH, PAINT_HEAD, label);
	width = COLS - LABEL_WIDTH - (int)strlen(figures);
	if (width >= BAR_LEAST)
		paint_bar(y, LABEL_WIDTH, width, sum->live, sum->reserved, all);
	else
		width = 0;
	paint_text(y, LABEL_WIDTH + width, COLS, PAINT_PLAIN, figures);
}

/* A line for each device, in a third of the screen at most. Returns how many
 * lines that are. */
static int sums_draw(const struct top *top, int y)
{
	struct device_sum sums[DEVICE_ALL];
	int count = table_sums(&top->table, sums, DEVICE_ALL);
	int most = LINES / 3 > 1 ? LINES / 3 : LINES > 4;
	char line[64];

	if (count > most && most < 2)
		return 0;
	for (int i = 0; i < count && i < most; i++) {
		if (i == most - 1 && count > most) {
			snprintf(line, sizeof(line),
				 "and %d devices more, see below", count - i);
			paint_text(y + i, 0, COLS, PAINT_PLAIN, line);
		} else {
			sum_draw(y + i, &sums[i]);
		}
	}
	return count < most ? count : most;
}

static void heads_draw(const struct table *table, const struct layout *layout,
		       int y)
{
	paint_blank(y, 0, COLS, PAINT_KEY);
	for (int i = 0; i < layout->count; i++) {
		const struct column_row *row = &columns[layout->column[i]];
		int at = layout->at[i];

		(row->left ? paint_text : paint_right)(
			y, at, layout->width[i],
			layout->column[i] == table->sort ? PAINT_HEAD
							 : PAINT_KEY,
			row->title);
	}
}

static bool is_noted(const struct row *row, enum column column)
{
	return *row->note && columns[column].figure;
}

/* The note takes the place of all figures. */
static void note_draw(const struct layout *layout, int y, const struct row *row,
		      enum paint paint)
{
	int at = -1, end = 0;

	for (int i = 0; i < layout->count; i++) {
		if (!is_noted(row, layout->column[i]))
			continue;
		if (at < 0)
			at = layout->at[i];
		end = layout->at[i] + layout->width[i];
	}
	if (at >= 0)
		paint_text(y, at, end - at, paint, row->note);
}

static void row_draw(const struct layout *layout, int y, const struct row *row,
		     bool selected)
{
	enum paint paint = selected             ? PAINT_SELECTED
			   : row_is_silent(row) ? PAINT_WARNING
						: PAINT_PLAIN;
	char text[ROW_COMMAND_SIZE];

	paint_blank(y, 0, COLS, selected ? paint : PAINT_PLAIN);
	if (selected)
		paint_text(y, 0, 1, paint, ">");
	for (int i = 0; i < layout->count; i++) {
		enum column column = layout->column[i];
		int at = layout->at[i], width = layout->width[i];

		if (is_noted(row, column))
			continue;
		column_text(column, row, text, sizeof(text));
		(columns[column].left ? paint_text : paint_right)(y, at, width,
								  paint, text);
		if ((int)strlen(text) > width && column != COLUMN_COMMAND)
			paint_text(y, at + width - 1, 1, paint, "+");
	}
	note_draw(layout, y, row, paint);
}

/* What stands where there are no rows. */
static void nothing_draw(const struct top *top, int y)
{
	struct program_sum sum = table_programs(&top->table);
	const char *next = "";
	char line[LINE_SIZE];

	if (!top->looked) {
		snprintf(line, sizeof(line), "Looking for programs ...");
	} else if (sum.programs || (sum.waiting && top->table.all)) {
		snprintf(line, sizeof(line), "No command has '%s' in it.",
			 top->table.filter);
		next = "Esc shows all programs.";
	} else if (sum.waiting) {
		snprintf(line, sizeof(line),
			 "%d program%s under mnm, without a request so far.",
			 sum.waiting, sum.waiting == 1 ? "" : "s");
		next = "a shows them as well.";
	} else {
		snprintf(line, sizeof(line),
			 "No program of yours runs under mnm.");
		next = "Start one: mnm run -- PROGRAM";
	}
	paint_text(y, 0, COLS, PAINT_PLAIN,
		   text_plain(line, line, sizeof(line)));
	paint_text(y + 1, 0, COLS, PAINT_PLAIN, next);
}

static void table_draw(struct top *top, int y, int height)
{
	struct table *table = &top->table;
	struct layout layout;

	layout_choose(&layout, table, COLS);
	heads_draw(table, &layout, y++);
	top->page = height - 1 > 1 ? height - 1 : 1;
	table_scroll(table, top->page);
	if (!table->count)
		nothing_draw(top, y);
	for (int i = 0; i < top->page && table->top + i < table->count; i++)
		row_draw(&layout, y + i, table_row(table, table->top + i),
			 table->top + i == table->selected);
}

static void list_draw(struct top *top, int y, int height)
{
	struct list *list = &top->list;
	int width = 0, length;

	paint_blank(y, 0, COLS, PAINT_KEY);
	paint_text(y++, 2, COLS, PAINT_KEY, list->title);
	top->page = height - 1 > 1 ? height - 1 : 1;
	list_scroll(list, top->page);
	for (int i = 0; i < list->count; i++) {
		length = (int)strlen(list->items[i].name);
		width = length > width ? length : width;
	}
	for (int i = 0; i < top->page && list->top + i < list->count; i++) {
		const struct list_item *item = &list->items[list->top + i];
		bool selected = list->top + i == list->selected;
		enum paint paint = selected ? PAINT_SELECTED : PAINT_PLAIN;

		paint_blank(y + i, 0, COLS, paint);
		paint_text(y + i, 0, 1, paint, selected ? ">" : " ");
		paint_text(y + i, 2, COLS, paint, item->name);
		paint_text(y + i, 2 + width + 2, COLS, paint, item->help);
	}
}

/* The end of the text, if it is too long for the line. */
static void prompt_draw(const struct prompt *prompt, int y)
{
	const wchar_t *text = prompt->text;
	int label = (int)strlen(prompt->label);

	while (*text && label + wcswidth(text, wcslen(text)) + 1 > COLS)
		text++;
	paint_text(y, 0, COLS, PAINT_HEAD, prompt->label);
	if (label < COLS)
		mvaddnwstr(y, label, text, COLS - label);
	curs_set(1);
}

/* What a message does not say: all of the selected row that has no room
 * there. */
static void details_draw(const struct top *top, int y)
{
	const struct row *row = table_selected(&top->table);
	bool device = row && strcmp(row->device, "-");
	char line[LINE_SIZE];

	if (!row)
		return;
	snprintf(line, sizeof(line), "%d%s%s%s%s%s: %s", row->pid,
		 device && strcmp(row->device, "host") ? " device" : "",
		 device ? " " : "", device ? row->device : "",
		 *row->recording ? ", recorded to " : "", row->recording,
		 row->command);
	paint_text(y, 0, COLS, PAINT_PLAIN, line);
}

/* What the list has no room for. */
static void item_draw(const struct list *list, int y)
{
	const struct list_item *item = &list->items[list->selected];

	if (list->choose && list->count)
		paint_text(y, 0, COLS, PAINT_PLAIN, item->help);
}

static void key_draw(int y, int *x, const char *key, const char *label)
{
	int length = (int)strcspn(key, " ");

	paint_text(y, *x, length, PAINT_KEY, key);
	paint_text(y, *x + length + 1, COLS, PAINT_PLAIN, label);
	*x += length + 1 + (int)strlen(label) + 2;
}

/* What has to be said goes on in a second line where it is too long for one. */
static int last_lines(const struct top *top)
{
	return 2 +
	       (top->mode == MODE_TABLE && (int)strlen(top->message) > COLS);
}

static void message_draw(const struct top *top, int y)
{
	paint_text(y, 0, COLS, PAINT_HEAD, top->message);
	if ((int)strlen(top->message) > COLS)
		paint_text(y + 1, 0, COLS, PAINT_HEAD, top->message + COLS);
}

static void last_draw(struct top *top, int y)
{
	int x = 0, last = LINES - 1;

	if (top->mode != MODE_TABLE) {
		key_draw(last, &x, "Enter",
			 top->mode == MODE_LIST && !top->list.choose
				 ? "close"
				 : "choose");
		key_draw(last, &x, "Esc", "cancel");
		if (top->mode == MODE_PROMPT)
			key_draw(last, &x, "Ctrl-U", "empty the line");
	}
	for (const struct key_row *row = key_rows;
	     row->keys && top->mode == MODE_TABLE; row++)
		if (row->label)
			key_draw(last, &x, row->keys, row->label);
	if (top->mode == MODE_PROMPT)
		prompt_draw(&top->prompt, y);
	else if (*top->message)
		message_draw(top, y);
	else if (*top->warning)
		paint_text(y, 0, COLS, PAINT_WARNING, top->warning);
	else if (top->mode == MODE_LIST)
		item_draw(&top->list, y);
	else
		details_draw(top, y);
}

void view_draw(struct top *top)
{
	int y = 1, height;

	erase();
	curs_set(0);
	title_draw(top);
	if (top->mode != MODE_LIST)
		y += sums_draw(top, y);
	height = LINES - y - last_lines(top);
	if (top->mode == MODE_LIST)
		list_draw(top, y, height);
	else
		table_draw(top, y, height);
	last_draw(top, LINES - last_lines(top));
	refresh();
}
