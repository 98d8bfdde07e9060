/* The command line of the trainer. */
#ifndef TRAIN_DIGITS_OPTIONS_H
#define TRAIN_DIGITS_OPTIONS_H

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct options {
	int epochs;          /* times through the training images */
	int steps;           /* stop after these, 0: after the epochs */
	int batch;           /* images a step */
	int losses;          /* print every step's loss */
	int every;           /* steps between two runs of the command */
	const char *command; /* NULL: none */
	char data[PATH_MAX];
};

/* Ends the program after --help, and with status 2 where an option is wrong. */
void options_read(struct options *options, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
