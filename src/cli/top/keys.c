#include <curses.h>
#include <limits.h>
#include <string.h>

#include "acts.h"
#include "keys.h"
#include "top.h"

enum { ESCAPE = 27, CTRL_H = 8, CTRL_L = 12, CTRL_U = 21, DEL = 127 };

/* Moves in the table, or in the list that is shown. */
static void move_by(struct top *top, int rows)
{
	if (top->mode == MODE_LIST)
		list_move(&top->list, rows);
	else
		table_move(&top->table, rows);
}

static void move_up(struct top *top)
{
	move_by(top, -1);
}

static void move_down(struct top *top)
{
	move_by(top, 1);
}

static void page_up(struct top *top)
{
	move_by(top, -top->page);
}

static void page_down(struct top *top)
{
	move_by(top, top->page);
}

static void move_first(struct top *top)
{
	move_by(top, -INT_MAX);
}

static void move_last(struct top *top)
{
	move_by(top, INT_MAX);
}

static void sort_left(struct top *top)
{
	table_sort_next(&top->table, -1);
}

static void sort_right(struct top *top)
{
	table_sort_next(&top->table, 1);
}

static void sort_turn(struct top *top)
{
	table_sort_turn(&top->table);
}

static void sort_choose(struct top *top, int index)
{
	table_sort(&top->table, (enum column)index);
}

static void sort_list(struct top *top)
{
	list_begin(&top->list, "Sort by", sort_choose);
	for (int i = 0; i < COLUMN_COUNT; i++)
		list_add(&top->list, columns[i].title, columns[i].help);
	top->list.selected = (int)top->table.sort;
	top->mode = MODE_LIST;
}

static void filter_typed(struct top *top, const char *text)
{
	table_filter(&top->table, text);
}

static void filter_begin(struct top *top)
{
	prompt_begin(&top->prompt, "Only commands with: ", top->table.filter);
	top->prompt.changed = filter_typed;
	top->mode = MODE_PROMPT;
}

/* In the table, this takes back what was set. */
static void cancel(struct top *top)
{
	if (top->mode == MODE_TABLE)
		table_filter(&top->table, "");
	top->mode = MODE_TABLE;
}

static void show_all(struct top *top)
{
	table_show_all(&top->table, !top->table.all);
}

static void pause_looks(struct top *top)
{
	top->paused = !top->paused;
	if (!top->paused)
		top->due_ms = 0;
}

static void draw_anew(struct top *top)
{
	(void)top;
	clearok(curscr, TRUE);
}

static void quit(struct top *top)
{
	top->ended = true;
}

static void help(struct top *top)
{
	list_begin(&top->list, "Keys and columns of mnm top", NULL);
	for (const struct key_row *row = key_rows; row->keys; row++)
		list_add(&top->list, row->keys, row->help);
	for (int i = 0; i < COLUMN_COUNT; i++)
		list_add(&top->list, columns[i].title, columns[i].help);
	top->mode = MODE_LIST;
}

/* clang-format off */
const struct key_row key_rows[] = {
	{"h F1 ?", "help", "this text", {'h', KEY_F(1), '?'}, help},
	{"Up k", NULL, "move up", {KEY_UP, 'k'}, move_up},
	{"Down j", NULL, "move down", {KEY_DOWN, 'j'}, move_down},
	{"PgUp", NULL, "move up by a page", {KEY_PPAGE}, page_up},
	{"PgDn", NULL, "move down by a page", {KEY_NPAGE}, page_down},
	{"Home g", NULL, "move to the first", {KEY_HOME, 'g'}, move_first},
	{"End G", NULL, "move to the last", {KEY_END, 'G'}, move_last},
	{"s", "swap", "serve the selected device of the program from another pool",
	 {'s', 'S'}, act_swap},
	{"t", "trim", "give its idle memory back to the driver",
	 {'t'}, act_trim},
	{"r", "record", "record the program in a file, or end that",
	 {'r'}, act_record},
	{"<", "sort", "sort by the column to the left", {'<', ','}, sort_left},
	{">", NULL, "sort by the column to the right", {'>', '.'}, sort_right},
	{"F6 o", NULL, "choose the column to sort by", {KEY_F(6), 'o'}, sort_list},
	{"i", NULL, "sort the other way round", {'i', 'I'}, sort_turn},
	{"/ F4", "filter", "show only programs with a text in their command",
	 {'/', KEY_F(4)}, filter_begin},
	{"a", NULL, "show also programs that have asked for no memory yet, or not",
	 {'a'}, show_all},
	{"Space", "pause", "look no more, or again", {' '}, pause_looks},
	{"Ctrl-L", NULL, "draw the screen anew", {CTRL_L}, draw_anew},
	{"Esc", NULL, "close a list or a prompt; show all programs",
	 {ESCAPE}, cancel},
	{"q F10", "quit", "quit; so does Ctrl-C", {'q', KEY_F(10)}, quit},
	{NULL, NULL, NULL, {0}, NULL},
};
/* clang-format on */

static const struct key_row *row_of(int key)
{
	for (const struct key_row *row = key_rows; row->keys; row++)
		for (int i = 0; i < KEY_CODES && row->codes[i]; i++)
			if (row->codes[i] == key)
				return row;
	return NULL;
}

static bool is_enter(int key)
{
	return key == '\r' || key == '\n' || key == KEY_ENTER;
}

/* The list closes before what was chosen is done, which may show another. */
static void list_key(struct top *top, int key)
{
	static void (*const moves[])(struct top *) = {
		move_up, move_down, page_up, page_down, move_first, move_last};
	const struct key_row *row = row_of(key);

	if (is_enter(key)) {
		top->mode = MODE_TABLE;
		if (top->list.choose && top->list.count)
			top->list.choose(top, top->list.selected);
		return;
	}
	if (!row)
		return;
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		if (row->act == moves[i])
			row->act(top);
	if (row->act == cancel || row->act == quit || row->act == help)
		top->mode = MODE_TABLE;
}

static void prompt_key(struct top *top, int key, wchar_t character)
{
	struct prompt *prompt = &top->prompt;
	char bytes[PROMPT_BYTES];

	if (is_enter(key)) {
		top->mode = MODE_TABLE;
		if (prompt->done)
			prompt->done(top, prompt_bytes(prompt, bytes));
		return;
	}
	if (key == ESCAPE) {
		top->mode = MODE_TABLE;
		prompt_rub_out(prompt, true);
	} else if (key == KEY_BACKSPACE || key == DEL || key == CTRL_H) {
		prompt_rub_out(prompt, false);
	} else if (key == CTRL_U) {
		prompt_rub_out(prompt, true);
	} else if (character) {
		prompt_add(prompt, character);
	}
	if (prompt->changed)
		prompt->changed(top, prompt_bytes(prompt, bytes));
}

void key_take(struct top *top, wint_t number, bool code)
{
	/* Characters that are no keys have the numbers of curses' keys. */
	int key = code || number < KEY_MIN ? (int)number : 0;
	const struct key_row *row = row_of(key);

	/* Nobody knows what a terminal leaves of its lines then. */
	if (code && key == KEY_RESIZE) {
		draw_anew(top);
		return;
	}
	*top->message = '\0';
	if (top->mode == MODE_LIST)
		list_key(top, key);
	else if (top->mode == MODE_PROMPT)
		prompt_key(top, key, code ? L'\0' : (wchar_t)number);
	else if (row)
		row->act(top);
}
