/* Commands of `mnm`: a row each in main.c. */
#ifndef MNM_CLI_H
#define MNM_CLI_H

#include <stdbool.h>

enum {
	EXIT_DONE,
	EXIT_FAILED,
	EXIT_USAGE,
	/* Those of a shell: of `mnm run`. */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_HELPED = -1, /* for main alone: help was asked for, so done */
};

struct command {
	const char *name, *usage, *summary;
	const char *help; /* after usage and summary; may be "" */
	int (*run)(const struct command *command, int argc, char **argv);
};

/* What commands about running programs have in common. */
struct arguments {
	bool json, all, no_wait, all_figures;
	double watch;       /* seconds between two looks, 0 = one look */
	const char *device; /* NULL: all */
	int pid;            /* 0 with --all */
	/* POOL, or OPTION and VALUE; NULL where there is none. */
	const char *words[2];
};

/* Reads them. Returns EXIT_DONE, or what the command is to return: the error,
 * or the help that was asked for, has been printed. */
int arguments_read(const struct command *command, int argc, char **argv,
		   struct arguments *arguments);

void command_help(const struct command *command);

/* The command of that name; NULL: there is none, which has been said. */
const struct command *command_find(const char *name);

/* Prints "mnm: ..." on stderr; returns EXIT_USAGE or EXIT_FAILED. */
int usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

int help_run(const struct command *command, int argc, char **argv);
int run_run(const struct command *command, int argc, char **argv);
int ps_run(const struct command *command, int argc, char **argv);
int pools_run(const struct command *command, int argc, char **argv);
int ask_run(const struct command *command, int argc, char **argv);
int doctor_run(const struct command *command, int argc, char **argv);
int version_run(const struct command *command, int argc, char **argv);
int change_run(const struct command *command, int argc, char **argv);

#endif
