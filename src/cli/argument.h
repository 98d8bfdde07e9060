/* The arguments of a command line, by type. */
#ifndef MNM_ARGUMENT_H
#define MNM_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "argument_list.h"

struct command;

enum argument_kind {
	ARGUMENT_TARGET,  /* a process's pid, or --all */
	ARGUMENT_FLAG,    /* an option without a value */
	ARGUMENT_TEXT,    /* an option with a value of one word */
	ARGUMENT_SECONDS, /* an option, with seconds or without */
	ARGUMENT_DELAY,   /* the same, with seconds in any case */
	ARGUMENT_PROFILE, /* an option, with =TEXT or without */
	ARGUMENT_NAMES,   /* an option, with =NAMES, or without for "all" */
	ARGUMENT_SETTING, /* an option whose value is kept in the order given */
	ARGUMENT_SETTINGS, /* the same, and it may be given several times */
	ARGUMENT_PATH,     /* an option with the path of a file */
	ARGUMENT_BYTES,    /* an option with a size, as size_parse reads it */
	ARGUMENT_NUMBER,   /* an option with a whole number from 0 */
	ARGUMENT_TIME,     /* an option with seconds */
	ARGUMENT_FILE,     /* a path at its place */
	ARGUMENT_WORD,     /* a word at its place */
	ARGUMENT_PROGRAM,  /* all the rest, including options */
};

/* clang-format off */
enum argument {
	ARG_NONE,
#define ARGUMENT(name, kind, option, value, help) ARG_##name,
	ARGUMENT_LIST
#undef ARGUMENT
	ARG_COUNT
};
/* clang-format on */

/* Marks a word or a program that a command can do without, and an option that
 * it can't. */
#define MAYBE         0x100
#define NEEDED        0x200
#define ARGUMENT_MASK 0xff

struct argument_row {
	enum argument_kind kind;
	const char *option, *value, *help;
};

/* Indexed by enum argument. */
extern const struct argument_row argument_rows[ARG_COUNT];

/* What `mnm run` was told to set; option is "pool", "plugin" or "set". */
struct setting {
	const char *option;
	char *text;
};

struct number {
	bool given;
	uint64_t value; /* 0 if it is not given */
};

/* What a command line says. A field of a row has the row's name. */
struct arguments {
	bool all; /* the target is --all; else pid is given */
	int pid;
	bool json, no_wait, all_figures, probe, stacks, python, fit, play;
	double watch; /* seconds between two looks, 0 = one look */
	double delay; /* the same, 0 = not given */
	/* NULL if not given. */
	const char *device, *sim, *frameworks, *pool, *option, *value, *topic;
	const char *svg, *o, *save, *file, *record, *action, *to, *format,
		*recording, *output, *output_word, *every, *pools, *simulated,
		*roomy, *scale, *scaled, *replayed, *shadowed, *shadow_pools,
		*page, *source_format, *into, *source;
	/* 0 if not given. */
	size_t capacity, unit, max_size;
	double time;
	struct number seed, period, iteration, streams;
	struct setting *settings; /* setting_count of them */
	int setting_count;
	char **program; /* ends with NULL, never empty; NULL if none */
};

/* Reads the command line. Returns EXIT_DONE, or what mnm is to return after the
 * error, or the help that was asked for, has been printed. The caller frees the
 * arguments by arguments_free in either case. */
int arguments_read(const struct command *command, int argc, char **argv,
		   struct arguments *arguments);

/* Reads --device, a number or "host", of a command that asks no program; -1 if
 * it is not given. If it is neither, prints so and returns EXIT_USAGE. */
int device_read(const struct command *command,
		const struct arguments *arguments, int *device);

/* Reads a PID. If the text is none, prints so and returns EXIT_USAGE. */
int pid_read(const struct command *command, const char *text, int *pid);

void arguments_free(struct arguments *arguments);

bool command_takes(const struct command *command, enum argument argument);

/* The argument as the usage line has it, without brackets: "--device N". */
enum { SPELLED_SIZE = 40 };
const char *argument_spelled(const struct argument_row *row,
			     char text[SPELLED_SIZE]);

#endif
