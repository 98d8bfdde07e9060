#include "picture_frame.h"

#include <inttypes.h>
#include <string.h>

#include "common/text.h"

enum {
	LEGEND_LINE = 18,
	LETTER = 7, /* about its width */
	DIGIT = 8,  /* at most */
};

void text_write(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("&<>\"", *text))
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
}

void legend_place(struct picture *picture)
{
	int x = MARGIN_LEFT, y = MARGIN_TOP;

	for (int i = 0; i < BOX_COLOURS; i++) {
		int wide = 24 + LETTER * (int)strlen(picture->labels[i]);

		if (!picture->used[i])
			continue;
		if (x + wide > MARGIN_LEFT + PLOT_WIDTH) {
			x = MARGIN_LEFT;
			y += LEGEND_LINE;
		}
		picture->label_x[i] = x;
		picture->label_y[i] = y;
		x += wide;
	}
	picture->top = y + LEGEND_LINE;
}

void head_write(const struct picture *picture, const char *name)
{
	const struct plan *plan = picture->plan;
	char plain[NAME_SIZE], peak[TEXT_BYTES_SIZE];
	FILE *out = picture->out;

	fprintf(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">", MARGIN_LEFT);
	text_write(out, text_plain(name, plain, sizeof(plain)));
	fprintf(out,
		": %zu buffer%s, peak %s, %.5f times the lower bound</text>\n",
		picture->lifetimes->count,
		picture->lifetimes->count == 1 ? "" : "s",
		text_bytes((int64_t)plan->peak, peak),
		(double)plan->peak / (double)plan->bound);
	for (int i = 0; i < BOX_COLOURS; i++) {
		if (!picture->used[i])
			continue;
		fprintf(out,
			"<path fill=\"%s\" d=\"M%d %dh10v10h-10z\"/>"
			"<text x=\"%d\" y=\"%d\">",
			picture_colour(picture, i), picture->label_x[i],
			picture->label_y[i], picture->label_x[i] + 14,
			picture->label_y[i] + 9);
		text_write(out, picture->labels[i]);
		fprintf(out, "</text>\n");
	}
}

/* 1, 2 or 5 times a power of ten, of which the span has 10 at most, and no more
 * than there is room for the numbers of. */
static uint64_t time_step(const struct picture *picture)
{
	static const uint64_t factors[] = {1, 2, 5};
	uint64_t span = picture->end - picture->begin, most = 10;
	int width = DIGIT * snprintf(NULL, 0, "  %" PRIu64, picture->end);

	if (most > (uint64_t)(PLOT_WIDTH / width))
		most = (uint64_t)(PLOT_WIDTH / width);

	for (uint64_t ten = 1;; ten *= 10)
		for (int i = 0; i < 3; i++)
			if (span / (ten * factors[i]) <= most)
				return ten * factors[i];
}

void axes_write(const struct picture *picture)
{
	uint64_t peak = picture->plan->peak, size = 1;
	uint64_t step = time_step(picture);
	char text[TEXT_BYTES_SIZE];
	FILE *out = picture->out;

	while (peak / size > 8)
		size *= 2;
	fprintf(out, "<g text-anchor=\"end\">\n");
	for (uint64_t i = 0; i <= peak / size; i++)
		fprintf(out, "<text x=\"-6\" y=\"%.1f\">%s</text>\n",
			address_pixel(picture, i * size) + 4,
			text_bytes((int64_t)(i * size), text));
	fprintf(out, "</g>\n<g text-anchor=\"middle\">\n");
	for (uint64_t i = picture->begin / step; i <= picture->end / step; i++)
		if (i * step >= picture->begin)
			fprintf(out,
				"<text x=\"%.1f\" y=\"%d\">%" PRIu64
				"</text>\n",
				time_pixel(picture, i * step), PLOT_HEIGHT + 16,
				i * step);
	fprintf(out, "<text x=\"%d\" y=\"%d\">time%s</text>\n</g>\n",
		PLOT_WIDTH / 2, PLOT_HEIGHT + 34,
		picture->lifetimes->is_trace ? ", in mallocs and frees"
		: picture->lifetimes->period ? ", a circle"
					     : "");
}
