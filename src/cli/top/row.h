/* What `mnm top` shows of one device of a program: a row. Nothing in it can
 * move a terminal's cursor. */
#ifndef MNM_ROW_H
#define MNM_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/print.h"
#include "common/pool_choice.h"

struct jobs;

enum {
	ROW_NOTE_SIZE = 64,
	ROW_COMMAND_SIZE = 512,
	ROW_FILE_SIZE = 256,
};

struct row {
	int pid;
	uid_t uid;
	char device[DEVICE_NAME_SIZE]; /* "-": none in use, or not known */
	char pool[POOL_CHOICE_SIZE];
	char note[ROW_NOTE_SIZE]; /* why there are no figures, or "" */
	bool waiting; /* it has asked for no memory yet, and has no socket */
	int missed;   /* looks in a row that it has not answered */
	char command[ROW_COMMAND_SIZE]; /* its name, and its arguments */
	char recording[ROW_FILE_SIZE];  /* where it is recorded, or "" */
	/* Bytes; -1: not known. A limit of 0 is none. */
	int64_t live, reserved, idle, peak, limit;
	int64_t total; /* of the device */
	/* Since the program started; -1: not known. */
	int64_t requests, hits, calls, fences;
	/* Of the requests, those that idle memory has served, 0 to 1; -1: there
	 * were none, or it is not known. */
	double share;
	int64_t at_ms; /* when it was so */
	/* A second, between the last two looks; -1: not known. */
	double requests_rate, calls_rate, fences_rate;
};

struct rows {
	struct row *list;
	int count;
};

/* Makes rows of what the jobs have answered, one for each device in use, and
 * one for a job that has none. The caller frees them by rows_free. */
void rows_read(struct rows *rows, const struct jobs *jobs);

void rows_free(struct rows *rows);

/* Whether both are of the same device of the same program. */
bool row_is(const struct row *row, const struct row *other);

/* Whether the program should have answered, and no longer does. One look is no
 * sign of that: it may have much to do. */
bool row_is_silent(const struct row *row);

/* Fills in what only the look before can tell: the rates; and the devices and
 * figures of a program that did not answer now. */
void rows_follow(struct rows *rows, const struct rows *before);

#endif
