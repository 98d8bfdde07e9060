#include <curses.h>
#include <langinfo.h>
#include <string.h>

#include "paint.h"

static attr_t attributes[PAINT_COUNT] = {
	[PAINT_HEAD] = A_BOLD,    [PAINT_SELECTED] = A_REVERSE,
	[PAINT_KEY] = A_REVERSE,  [PAINT_LIVE] = A_BOLD,
	[PAINT_WARNING] = A_BOLD,
};

static const char *live_sign = "|", *idle_sign = ":", *free_sign = " ";

/* The terminal has been asked whether it has colours, and the user whether they
 * are wanted, when start_color was called. */
void paint_open(void)
{
	static const short colours[PAINT_COUNT] = {
		[PAINT_HEAD] = COLOR_CYAN,
		[PAINT_LIVE] = COLOR_GREEN,
		[PAINT_IDLE] = COLOR_YELLOW,
		[PAINT_WARNING] = COLOR_RED,
	};

	if (!strcmp(nl_langinfo(CODESET), "UTF-8")) {
		live_sign = "\u2588";
		idle_sign = "\u2592";
		free_sign = "\u00b7";
	}
	for (short i = 0; i < PAINT_COUNT && COLORS > 0; i++)
		if (colours[i] && init_pair(i, colours[i], -1) != ERR)
			attributes[i] |= (attr_t)COLOR_PAIR(i);
}

void paint_text(int y, int x, int width, enum paint paint, const char *text)
{
	if (y < 0 || y >= LINES || x < 0 || x >= COLS || width <= 0)
		return;
	if (width > COLS - x)
		width = COLS - x;
	attrset((int)attributes[paint]);
	mvaddnstr(y, x, text, width);
	attrset(A_NORMAL);
}

void paint_right(int y, int x, int width, enum paint paint, const char *text)
{
	int length = (int)strlen(text);

	if (length < width) {
		x += width - length;
		width = length;
	}
	paint_text(y, x, width, paint, text);
}

void paint_blank(int y, int x, int width, enum paint paint)
{
	for (int i = 0; i < width; i++)
		paint_text(y, x + i, 1, paint, " ");
}

/* How many of so many characters stand for a part of all. Something is at least
 * one. */
static int part_of(int width, int64_t part, int64_t all)
{
	int most;

	if (part <= 0 || all <= 0)
		return 0;
	most = (int)((double)width * (double)part / (double)all + 0.5);
	return most < 1 ? 1 : most > width ? width : most;
}

static void sign_add(int y, int x, enum paint paint, const char *sign)
{
	if (y >= LINES || x >= COLS)
		return;
	attrset((int)attributes[paint]);
	mvaddstr(y, x, sign);
	attrset(A_NORMAL);
}

void paint_bar(int y, int x, int width, int64_t live, int64_t reserved,
	       int64_t all)
{
	int inside = width - 2, used, filled;

	if (inside < 1)
		return;
	used = part_of(inside, live, all);
	filled = part_of(inside, reserved, all);
	paint_text(y, x, 1, PAINT_HEAD, "[");
	for (int i = 0; i < inside; i++) {
		if (i < used)
			sign_add(y, x + 1 + i, PAINT_LIVE, live_sign);
		else if (i < filled)
			sign_add(y, x + 1 + i, PAINT_IDLE, idle_sign);
		else
			sign_add(y, x + 1 + i, PAINT_PLAIN, free_sign);
	}
	paint_text(y, x + 1 + inside, 1, PAINT_HEAD, "]");
}
