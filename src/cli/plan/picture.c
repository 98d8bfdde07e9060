#include "picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "picture_frame.h"
#include "trace/trace_file.h"

enum {
	BOXES_MOST = 4000,
	RUNS_MOST = 9000,
	TITLES_MOST = 300, /* with more buffers, none has a title of its own */
	BANDS = 6,         /* of sizes, where buffers have no classes */
};

/* By class of a trace, and for others in their order. */
static const char *const colours[BOX_COLOURS] = {
	"#4e79a7", "#76b7d2", "#59a14f", "#9bd17d", "#f28e2b", "#e15759",
	"#b6992d", "#2f8f8b", "#8cc5bd", "#d37295", "#a678b0", "#8f8f8f"};
static const char *const bands[BANDS] = {"#08306b", "#2171b5", "#41ab9d",
					 "#8fd175", "#fdae61", "#e34a33"};

_Static_assert((int)BOX_COLOURS == (int)TRACE_CLASSES &&
		       (int)BOX_COLOURS == (int)LIFETIMES_CLASSES &&
		       (int)BANDS <= (int)BOX_COLOURS,
	       "each class has a colour");

static bool has_bands(const struct picture *picture)
{
	return !picture->lifetimes->class_count;
}

const char *picture_colour(const struct picture *picture, int colour)
{
	return has_bands(picture) ? bands[colour] : colours[colour];
}

/* The first band has sizes up to `largest`, each other one up to a quarter of
 * those of the band before. */
static int band_find(const struct picture *picture, uint64_t size)
{
	int band = 0;

	while (band < BANDS - 1 && size <= picture->largest >> 2 * (band + 1))
		band++;
	return band;
}

/* The colour of a class. Traces have theirs by name, so that pictures of
 * several of them can be compared. */
static int class_colour(const struct picture *picture, int index)
{
	const char *name = picture->lifetimes->class_names[index];

	for (int i = 0; picture->lifetimes->is_trace && i < TRACE_CLASSES; i++)
		if (!strcmp(trace_classes[i], name))
			return i;
	return index;
}

static int buffer_colour(const struct picture *picture, size_t buffer)
{
	const struct lifetimes *lifetimes = picture->lifetimes;

	return has_bands(picture)
		       ? band_find(picture, lifetimes->buffers[buffer].size)
		       : class_colour(picture, lifetimes->classes[buffer]);
}

static void labels_fill(struct picture *picture)
{
	const struct lifetimes *lifetimes = picture->lifetimes;
	char text[TEXT_BYTES_SIZE];

	for (int i = 0; i < lifetimes->class_count; i++)
		strcpy(picture->labels[class_colour(picture, i)],
		       lifetimes->class_names[i]);
	for (int i = 0; has_bands(picture) && i < BANDS; i++)
		snprintf(
			picture->labels[i], sizeof(*picture->labels),
			"up to %s",
			text_bytes((int64_t)(picture->largest >> 2 * i), text));
	for (size_t i = 0; i < lifetimes->count; i++)
		picture->used[buffer_colour(picture, i)] = true;
}

static void picture_measure(struct picture *picture)
{
	const struct lifetimes *lifetimes = picture->lifetimes;

	picture->begin = UINT64_MAX;
	picture->largest = 1;
	for (size_t i = 0; i < lifetimes->count; i++) {
		const struct plan_buffer *buffer = &lifetimes->buffers[i];

		if (buffer->lower < picture->begin)
			picture->begin = buffer->lower;
		if (buffer->upper > picture->end)
			picture->end = buffer->upper;
		while (buffer->size > picture->largest)
			picture->largest *= 2;
	}
	if (lifetimes->period) {
		picture->begin = 0;
		picture->end = lifetimes->period;
	}
	labels_fill(picture);
}

double time_pixel(const struct picture *picture, uint64_t time)
{
	return (double)(time - picture->begin) * PLOT_WIDTH /
	       (double)(picture->end - picture->begin);
}

double address_pixel(const struct picture *picture, uint64_t address)
{
	return PLOT_HEIGHT -
	       (double)address * PLOT_HEIGHT / (double)picture->plan->peak;
}

/* Makes the boxes of a buffer: two if it lives past the cut of a circle.
 * Returns how many. */
static int buffer_boxes(const struct picture *picture, size_t index,
			struct box boxes[2])
{
	const struct plan_buffer *buffer = &picture->lifetimes->buffers[index];
	uint64_t offset = picture->plan->offsets[index], upper = buffer->upper;
	uint64_t past = upper > picture->end ? upper - picture->end : 0;

	boxes[0] = (struct box){
		time_pixel(picture, buffer->lower),
		time_pixel(picture, upper - past),
		address_pixel(picture, offset + buffer->size),
		address_pixel(picture, offset),
		index,
		(unsigned char)buffer_colour(picture, index),
	};
	boxes[1] = boxes[0];
	boxes[1].left = 0;
	boxes[1].right = time_pixel(picture, picture->begin + past);
	return past ? 2 : 1;
}

/* Writes a rectangle as a part of a path. It is rounded to tenths, and has one
 * at least. */
static void rectangle_write(FILE *out, double left, double top, double right,
			    double bottom)
{
	double x = round(10 * left), y = round(10 * top);
	double wide = fmax(round(10 * right) - x, 1);
	double high = fmax(round(10 * bottom) - y, 1);

	fprintf(out, "M%g %gh%gv%gh%gz", x / 10, y / 10, wide / 10, high / 10,
		-wide / 10);
}

static void runs_write(const struct picture *picture, const struct runs *runs)
{
	FILE *out = picture->out;

	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->list[i];
		const struct run *before = i ? run - 1 : NULL;

		if (!before || before->colour != run->colour ||
		    before->level != run->level)
			fprintf(out,
				"%s<path fill=\"%s\" fill-opacity=\"%g\" d=\"",
				before ? "\"/>\n" : "",
				picture_colour(picture, run->colour),
				(double)run->level / RUN_LEVELS);
		rectangle_write(out, run->left, run->top,
				fmin(run->right, PLOT_WIDTH),
				fmin(run->bottom, PLOT_HEIGHT));
	}
	if (runs->count)
		fprintf(out, "\"/>\n");
}

/* Writes a box with a title, which a browser shows under the mouse. */
static void titled_write(const struct picture *picture, const struct box *box)
{
	const struct plan_buffer *buffer =
		&picture->lifetimes->buffers[box->buffer];
	char id[NAME_SIZE];

	fprintf(picture->out, "<path d=\"");
	rectangle_write(picture->out, box->left, box->top, box->right,
			box->bottom);
	fprintf(picture->out, "\"><title>");
	text_write(picture->out,
		   text_plain(lifetimes_id(picture->lifetimes, box->buffer), id,
			      sizeof(id)));
	fprintf(picture->out,
		": %" PRIu64 " at %" PRIu64 ", from %" PRIu64 " to %" PRIu64
		"</title></path>\n",
		buffer->size, picture->plan->offsets[box->buffer],
		buffer->lower, buffer->upper);
}

/* Writes the boxes of one colour that are drawn themselves. */
static void boxes_write(const struct picture *picture,
			const struct boxes *boxes, int colour)
{
	bool titles = picture->lifetimes->count <= TITLES_MOST;
	bool path = false;

	fprintf(picture->out, "<g fill=\"%s\">\n",
		picture_colour(picture, colour));
	for (size_t i = 0; i < boxes->count; i++) {
		const struct box *box = &boxes->list[i];

		if (box->colour != colour || !box_is_drawn(boxes, box))
			continue;
		if (titles) {
			titled_write(picture, box);
			continue;
		}
		if (!path)
			fprintf(picture->out, "<path d=\"");
		path = true;
		rectangle_write(picture->out, box->left, box->top, box->right,
				box->bottom);
	}
	fprintf(picture->out, "%s</g>\n", path ? "\"/>\n" : "");
}

static void bound_write(const struct picture *picture)
{
	const struct plan *plan = picture->plan;

	if (plan->peak != plan->bound)
		fprintf(picture->out,
			"<path stroke=\"#000\" stroke-dasharray=\"6 4\" "
			"d=\"M0 %.1fh%d\"/>\n",
			address_pixel(picture, plan->bound), PLOT_WIDTH);
}

static bool plot_write(const struct picture *picture, const struct boxes *boxes)
{
	struct runs runs;

	if (!runs_find(&runs, boxes, RUNS_MOST))
		return false;
	fprintf(picture->out,
		"<g transform=\"translate(%d %d)\">\n"
		"<path fill=\"#f2f2f2\" d=\"M0 0h%dv%dh-%dz\"/>\n",
		MARGIN_LEFT, picture->top, PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH);
	runs_write(picture, &runs);
	free(runs.list);
	fprintf(picture->out, "<g stroke=\"#fff\" stroke-width=\".3\">\n");
	for (int i = 0; i < BOX_COLOURS; i++)
		if (picture->used[i])
			boxes_write(picture, boxes, i);
	fprintf(picture->out, "</g>\n");
	bound_write(picture);
	axes_write(picture);
	fprintf(picture->out, "</g>\n");
	return true;
}

bool picture_write(FILE *out, const struct lifetimes *lifetimes,
		   const struct plan *plan, const char *name)
{
	struct picture picture = {
		.out = out, .lifetimes = lifetimes, .plan = plan};
	struct boxes boxes = {
		.list = calloc(2 * lifetimes->count, sizeof(*boxes.list))};
	bool done;

	if (!boxes.list)
		return false;
	picture_measure(&picture);
	for (size_t i = 0; i < lifetimes->count; i++)
		boxes.count += (size_t)buffer_boxes(&picture, i,
						    &boxes.list[boxes.count]);
	boxes_choose(&boxes, BOXES_MOST);
	legend_place(&picture);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n"
		"<path fill=\"#fff\" d=\"M0 0h%dv%dH0z\"/>\n",
		PICTURE_WIDTH, picture.top + PLOT_HEIGHT + MARGIN_BOTTOM,
		PICTURE_WIDTH, picture.top + PLOT_HEIGHT + MARGIN_BOTTOM);
	head_write(&picture, name);
	done = plot_write(&picture, &boxes);
	fprintf(out, "</svg>\n");
	free(boxes.list);
	return done;
}
