/* What a picture shows: boxes of time and addresses. What is too small to be
 * drawn by itself is counted in cells instead, and these are drawn in runs. */
#ifndef MNM_BOXES_H
#define MNM_BOXES_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PLOT_WIDTH = 860,
	PLOT_HEIGHT = 480,
	BOX_COLOURS = 12,
	RUN_LEVELS = 4, /* how much of a run's cells is in use, in quarters */
};

/* In pixels of the plot, from its upper left corner. */
struct box {
	double left, right, top, bottom;
	size_t buffer;        /* whose it is */
	unsigned char colour; /* below BOX_COLOURS */
};

struct boxes {
	struct box *list;
	size_t count;
	double least; /* width and height of those that are drawn themselves */
};

/* Whether it is drawn by itself. */
bool box_is_drawn(const struct boxes *boxes, const struct box *box);

/* Chooses `least` so that at most `most` boxes are drawn themselves. */
void boxes_choose(struct boxes *boxes, size_t most);

/* A rectangle of cells that look the same. */
struct run {
	int left, right, top, bottom; /* in pixels */
	unsigned char colour, level;  /* level is 1 to RUN_LEVELS */
};

struct runs {
	struct run *list; /* sorted by colour and level */
	size_t count, room;
};

/* Finds the runs of all boxes that are not drawn themselves: at most about
 * `most`, as cells are made larger until that is so. Returns false if there is
 * no memory. The caller frees the list. */
bool runs_find(struct runs *runs, const struct boxes *boxes, size_t most);

#endif
