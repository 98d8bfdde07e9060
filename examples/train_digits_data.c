#include "train_digits_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next number of a line, or -1 if there is none up to max. */
static int number_read(char **text, int max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(*text, &end, 10);
	if (errno || end == *text || value < 0 || value > max)
		return -1;
	*text = *end == ',' ? end + 1 : end;
	return (int)value;
}

static int line_read(char *line, unsigned char *pixels, unsigned char *label)
{
	enum { MAX_PIXEL = 16 };
	int value;

	for (int i = 0; i < DIGIT_PIXELS; i++) {
		value = number_read(&line, MAX_PIXEL);
		if (value < 0)
			return -1;
		pixels[i] = (unsigned char)value;
	}
	value = number_read(&line, DIGIT_CLASSES - 1);
	if (value < 0 || (*line != '\n' && *line != '\0'))
		return -1;
	*label = (unsigned char)value;
	return 0;
}

/* Makes room for one more image. */
static int digits_grow(struct digits *digits)
{
	size_t count = (size_t)digits->count;
	size_t room = count ? 2 * count : 1;
	unsigned char *pixels, *labels;

	if (count & (count - 1))
		return 0; /* the room is doubled at each power of two */
	pixels = realloc(digits->pixels, room * DIGIT_PIXELS);
	if (pixels)
		digits->pixels = pixels;
	labels = realloc(digits->labels, room);
	if (labels)
		digits->labels = labels;
	return pixels && labels ? 0 : -1;
}

static int digits_read(struct digits *digits, FILE *file, const char *path)
{
	char line[512]; /* holds 65 numbers of at most two digits */

	while (fgets(line, sizeof(line), file)) {
		if (digits_grow(digits)) {
			fprintf(stderr, "%s: out of memory\n", path);
			return -1;
		}
		if (line_read(line,
			      digits->pixels +
				      (size_t)digits->count * DIGIT_PIXELS,
			      digits->labels + digits->count)) {
			fprintf(stderr,
				"%s:%d: not 64 pixels of 0 to 16 and a digit\n",
				path, digits->count + 1);
			return -1;
		}
		digits->count++;
	}
	if (ferror(file)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	return 0;
}

int digits_open(struct digits *digits, const char *path)
{
	FILE *file = fopen(path, "r");
	int res;

	memset(digits, 0, sizeof(*digits));
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	res = digits_read(digits, file, path);
	fclose(file);
	if (!res && digits->count < DIGIT_CLASSES) {
		fprintf(stderr, "%s: only %d images\n", path, digits->count);
		res = -1;
	}
	if (res)
		digits_close(digits);
	return res;
}

void digits_close(struct digits *digits)
{
	free(digits->pixels);
	free(digits->labels);
	memset(digits, 0, sizeof(*digits));
}
