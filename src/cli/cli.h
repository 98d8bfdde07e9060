/* The commands of `mnm`: a row each in commands.c. */
#ifndef MNM_CLI_H
#define MNM_CLI_H

#include <stdarg.h>
#include <stdbool.h>

#include "argument.h"

struct job;

enum {
	EXIT_DONE,
	EXIT_FAILED,
	EXIT_USAGE,
	/* As a shell returns them; only `mnm run` does. */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_STOPPED = 130, /* `mnm plan` and `mnm replay`, after Ctrl-C */
	EXIT_HELPED = -1, /* for main only: help was printed, so all is done */
};

enum { ARGUMENTS_MAX = 12 };

struct command {
	const char *name, *summary;
	/* Values of enum argument, in the order of the usage line; ends with
	 * 0. */
	int takes[ARGUMENTS_MAX + 1];
	const char *notes;  /* in its help, after the arguments, or NULL */
	void (*more)(void); /* prints the rest of its help, or NULL */
	int (*run)(const struct command *command,
		   const struct arguments *arguments);
	/* The rest is for ask_run, which asks programs. */
	bool order;         /* it changes something */
	const char *answer; /* the field by which an answer to it is known */
	/* Prints an answer for people. */
	void (*print)(const struct job *job, const struct arguments *arguments);
};

/* The last has a NULL name. */
extern const struct command commands[];

/* The command of that name. If there is none, prints so and returns NULL. */
const struct command *command_find(const char *name);

/* Prints the command's usage line, its arguments, and its notes. */
void command_help(const struct command *command);

/* Print words of an error on stderr. Names in them may be anybody's: what a
 * terminal would obey becomes a ?, as by text_plain. */
void error_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void error_vprint(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

/* Each prints such a line, "mnm: ...", and returns EXIT_USAGE or EXIT_FAILED.
 */
int usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

int help_run(const struct command *command, const struct arguments *arguments);
int run_run(const struct command *command, const struct arguments *arguments);
int ps_run(const struct command *command, const struct arguments *arguments);
int top_run(const struct command *command, const struct arguments *arguments);
int plan_run(const struct command *command, const struct arguments *arguments);
int report_run(const struct command *command,
	       const struct arguments *arguments);
int replay_command(const struct command *command,
		   const struct arguments *arguments);
int shadow_command(const struct command *command,
		   const struct arguments *arguments);
int export_run(const struct command *command,
	       const struct arguments *arguments);
int import_run(const struct command *command,
	       const struct arguments *arguments);
int doctor_run(const struct command *command,
	       const struct arguments *arguments);
/* Asks the programs that the arguments name, and prints what they answer. */
int ask_run(const struct command *command, const struct arguments *arguments);

/* Each prints the rest of its command's help. */
void run_more(void);
void export_more(void);
void import_more(void);

/* Prints how many iterations of a program are marked. */
void mark_print(const struct job *job, const struct arguments *arguments);

/* Prints where a program is recorded, or was. */
void record_print(const struct job *job, const struct arguments *arguments);

/* Prints what was done to each device of a program. */
void change_print(const struct job *job, const struct arguments *arguments);

#endif
