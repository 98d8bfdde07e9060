/* The command line of the trainer. */
#ifndef TRAIN_DIGITS_OPTIONS_H
#define TRAIN_DIGITS_OPTIONS_H

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct options {
	int epochs;          /* runs through the training images */
	int steps;           /* stop after these; 0: after the epochs */
	int batch;           /* images in a step */
	int losses;          /* print the loss of every step */
	int every;           /* steps between two runs of the command */
	const char *command; /* or NULL */
	char data[PATH_MAX];
};

/* Ends the program after --help, and with status 2 if an option is wrong. */
void options_read(struct options *options, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
