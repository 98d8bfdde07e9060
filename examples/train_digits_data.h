/* The images that the trainer learns from. */
#ifndef TRAIN_DIGITS_DATA_H
#define TRAIN_DIGITS_DATA_H

#ifdef __cplusplus
extern "C" {
#endif

enum { DIGIT_PIXELS = 64, DIGIT_CLASSES = 10 };

struct digits {
	unsigned char *pixels; /* count rows of DIGIT_PIXELS, each 0 to 16 */
	unsigned char *labels; /* count, each 0 to 9 */
	int count;
};

/* Reads a file whose lines have 64 pixels and a label, comma-separated. If it
 * can't, it says what is wrong on stderr and returns -1. */
int digits_open(struct digits *digits, const char *path);
void digits_close(struct digits *digits);

#ifdef __cplusplus
}
#endif

#endif
