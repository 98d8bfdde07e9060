/* Commands of `mnm`: a row each in commands.c. */
#ifndef MNM_CLI_H
#define MNM_CLI_H

#include <stdbool.h>

#include "argument.h"

struct job;

enum {
	EXIT_DONE,
	EXIT_FAILED,
	EXIT_USAGE,
	/* Those of a shell: of `mnm run`. */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_HELPED = -1, /* for main alone: help was asked for, so done */
};

enum { ARGUMENTS_MAX = 8 };

struct command {
	const char *name, *summary;
	/* Of enum argument, in the order of the usage line; ends with 0. */
	int takes[ARGUMENTS_MAX + 1];
	const char *notes;  /* in its help, after the arguments; NULL: none */
	void (*more)(void); /* prints the rest of its help; NULL: nothing */
	int (*run)(const struct command *command,
		   const struct arguments *arguments);
	/* The rest is for ask_run, which asks programs. */
	bool order;         /* it changes something */
	const char *answer; /* the field by which an answer to it is known */
	/* Prints one for people. */
	void (*print)(const struct job *job, const struct arguments *arguments);
};

/* The last has a NULL name. */
extern const struct command commands[];

/* The command of that name; NULL: there is none, which has been said. */
const struct command *command_find(const char *name);

/* Its usage line, what its arguments are, and its notes. */
void command_help(const struct command *command);

/* Prints "mnm: ..." on stderr; returns EXIT_USAGE or EXIT_FAILED. */
int usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

int help_run(const struct command *command, const struct arguments *arguments);
int run_run(const struct command *command, const struct arguments *arguments);
int ps_run(const struct command *command, const struct arguments *arguments);
int doctor_run(const struct command *command,
	       const struct arguments *arguments);
/* Asks the programs that the arguments name, and prints what they answer. */
int ask_run(const struct command *command, const struct arguments *arguments);

/* The rest of run's help. */
void run_more(void);

/* What was done to each device of a program. */
void change_print(const struct job *job, const struct arguments *arguments);

#endif
