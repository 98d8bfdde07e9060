/* The parts of a picture, shared by picture.c, which draws the plot, and
 * picture_frame.c, which draws what stands around it. */
#ifndef MNM_PICTURE_FRAME_H
#define MNM_PICTURE_FRAME_H

#include "boxes.h"
#include "picture.h"

enum {
	MARGIN_LEFT = 84,
	MARGIN_RIGHT = 16,
	MARGIN_TOP = 34, /* above the legend */
	MARGIN_BOTTOM = 44,
	PICTURE_WIDTH = MARGIN_LEFT + PLOT_WIDTH + MARGIN_RIGHT,
	NAME_SIZE = 96, /* of a name that is written */
};

struct picture {
	FILE *out;
	const struct lifetimes *lifetimes;
	const struct plan *plan;
	uint64_t begin, end; /* of the time that is shown */
	uint64_t largest;    /* a power of two: no buffer is larger */
	bool used[BOX_COLOURS];
	char labels[BOX_COLOURS][LIFETIMES_CLASS_SIZE];
	/* Where each label is, and the plot begins. */
	int label_x[BOX_COLOURS], label_y[BOX_COLOURS], top;
};

const char *picture_colour(const struct picture *picture, int colour);
double time_pixel(const struct picture *picture, uint64_t time);
double address_pixel(const struct picture *picture, uint64_t address);

/* Writes ASCII as text of SVG. */
void text_write(FILE *out, const char *text);

/* Sets the places of the labels and the plot. */
void legend_place(struct picture *picture);
/* Writes what stands above the plot, and what stands beside and below it. */
void head_write(const struct picture *picture, const char *name);
void axes_write(const struct picture *picture);

#endif
