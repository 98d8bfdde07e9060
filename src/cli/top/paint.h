/* Pieces of a screen, cut to its size. */
#ifndef MNM_PAINT_H
#define MNM_PAINT_H

#include <stdint.h>

enum paint {
	PAINT_PLAIN,
	PAINT_HEAD,
	PAINT_SELECTED,
	PAINT_KEY,
	PAINT_LIVE,
	PAINT_IDLE,
	PAINT_WARNING,
	PAINT_COUNT
};

void paint_open(void);

/* Draws a text into so many characters of a line, from its left, or to its
 * right. */
void paint_text(int y, int x, int width, enum paint paint, const char *text);
void paint_right(int y, int x, int width, enum paint paint, const char *text);

/* Fills so many characters with spaces. */
void paint_blank(int y, int x, int width, enum paint paint);

/* Draws a bar of so many characters, with its brackets: what is live, what is
 * reserved beside that, and what is left. */
void paint_bar(int y, int x, int width, int64_t live, int64_t reserved,
	       int64_t all);

#endif
