#include "boxes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_MOST = 64 }; /* pixels of a cell's side */

/* How much of each cell is in use, by colour. */
struct grid {
	int side; /* of a cell, in pixels */
	int width, height;
	float *used; /* BOX_COLOURS numbers a cell; 1: all of it */
};

bool box_is_drawn(const struct boxes *boxes, const struct box *box)
{
	return box->right - box->left >= boxes->least &&
	       box->bottom - box->top >= boxes->least;
}

void boxes_choose(struct boxes *boxes, size_t most)
{
	size_t drawn = SIZE_MAX;

	boxes->least = 1;
	while (drawn > most) {
		drawn = 0;
		for (size_t i = 0; i < boxes->count; i++)
			drawn += box_is_drawn(boxes, &boxes->list[i]);
		if (drawn > most)
			boxes->least *= 1.25;
	}
}

static double overlap(double begin, double end, int cell, int side)
{
	double from = begin > cell * side ? begin : cell * side;
	double to = end < (cell + 1) * side ? end : (cell + 1) * side;

	return to > from ? (to - from) / side : 0;
}

static void grid_add(struct grid *grid, const struct box *box)
{
	int left = (int)box->left / grid->side;
	int top = (int)box->top / grid->side;

	for (int y = top; y < grid->height && y * grid->side < box->bottom; y++)
		for (int x = left;
		     x < grid->width && x * grid->side < box->right; x++)
			grid->used[(y * grid->width + x) * BOX_COLOURS +
				   box->colour] +=
				(float)(overlap(box->left, box->right, x,
						grid->side) *
					overlap(box->top, box->bottom, y,
						grid->side));
}

/* Sets the colour that has most of a cell, and how much of the cell is in use.
 * The level of an empty cell is 0. */
static void cell_look(const struct grid *grid, int x, int y, struct run *run)
{
	const float *used = &grid->used[(y * grid->width + x) * BOX_COLOURS];
	float sum = 0;
	int most = 0;

	for (int i = 0; i < BOX_COLOURS; i++) {
		sum += used[i];
		if (used[i] > used[most])
			most = i;
	}
	run->colour = (unsigned char)most;
	run->level = sum >= 1  ? RUN_LEVELS
		     : sum > 0 ? (unsigned char)(sum * RUN_LEVELS) + 1
			       : 0;
}

static bool run_add(struct runs *runs, const struct run *run)
{
	struct run *grown;

	if (runs->count == runs->room) {
		runs->room = runs->room ? 2 * runs->room : 1024;
		grown = realloc(runs->list, runs->room * sizeof(*grown));
		if (!grown)
			return false;
		runs->list = grown;
	}
	runs->list[runs->count++] = *run;
	return true;
}

static bool run_is_like(const struct run *run, const struct run *other)
{
	return run->right == other->right && run->colour == other->colour &&
	       run->level == other->level;
}

/* Finds the runs of a row. above[x] is 1 + the index of the run that begins
 * there and reaches down to this row, or 0. Such a run grows if this row has
 * the same. */
static bool row_find(struct runs *runs, const struct grid *grid, int y,
		     size_t *above)
{
	struct run run, next;
	size_t other;
	int end;

	for (int x = 0; x < grid->width; x = end) {
		cell_look(grid, x, y, &run);
		for (end = x + 1; end < grid->width; end++) {
			cell_look(grid, end, y, &next);
			if (next.level != run.level ||
			    (run.level && next.colour != run.colour))
				break;
		}
		run.left = x * grid->side;
		run.right = end * grid->side;
		run.top = y * grid->side;
		run.bottom = (y + 1) * grid->side;
		other = above[x];
		memset(above + x, 0, (size_t)(end - x) * sizeof(*above));
		if (!run.level)
			continue;
		if (other && run_is_like(&runs->list[other - 1], &run))
			runs->list[other - 1].bottom = run.bottom;
		else if (run_add(runs, &run))
			other = runs->count;
		else
			return false;
		above[x] = other;
	}
	return true;
}

static bool grid_find(struct runs *runs, struct grid *grid,
		      const struct boxes *boxes)
{
	size_t *above = calloc((size_t)grid->width, sizeof(*above));
	bool done = above;

	grid->used = calloc((size_t)grid->width * (size_t)grid->height,
			    BOX_COLOURS * sizeof(*grid->used));
	done = done && grid->used;
	for (size_t i = 0; done && i < boxes->count; i++)
		if (!box_is_drawn(boxes, &boxes->list[i]))
			grid_add(grid, &boxes->list[i]);
	for (int y = 0; done && y < grid->height; y++)
		done = row_find(runs, grid, y, above);
	free(grid->used);
	free(above);
	return done;
}

static int run_compare(const void *left, const void *right)
{
	const struct run *a = left, *b = right;

	if (a->colour != b->colour)
		return a->colour - b->colour;
	if (a->level != b->level)
		return a->level - b->level;
	return a->top != b->top ? a->top - b->top : a->left - b->left;
}

bool runs_find(struct runs *runs, const struct boxes *boxes, size_t most)
{
	struct grid grid = {.side = 1};

	*runs = (struct runs){NULL, 0, 0};
	do {
		runs->count = 0;
		grid.width = (PLOT_WIDTH + grid.side - 1) / grid.side;
		grid.height = (PLOT_HEIGHT + grid.side - 1) / grid.side;
		if (!grid_find(runs, &grid, boxes)) {
			free(runs->list);
			return false;
		}
		grid.side += 1 + grid.side / 4;
	} while (runs->count > most && grid.side <= CELL_MOST);
	if (runs->count)
		qsort(runs->list, runs->count, sizeof(*runs->list),
		      run_compare);
	return true;
}
