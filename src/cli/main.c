#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "version.h"

#define TARGET_HELP \
	"  PID          a program that `mnm ps` lists\n" \
	"  --all        every program of yours that runs under mnm\n" \
	"  --device N   only that device [all in use]\n" \
	"  --json       for machines\n"
#define CHANGE_HELP \
	TARGET_HELP \
	"  --no-wait    don't wait (2 s at most) for the program to give\n" \
	"               its idle blocks back, at its next free\n"

/* clang-format off */
static const struct command commands[] = {
	{"run", "mnm run [--pool P] [--sim[=PROFILE]] [--set KEY=VALUE]... "
		"-- PROGRAM [ARGUMENT]...",
	 "run a CUDA program with a memory pool under it", NULL, run_run},
	{"ps", "mnm ps [--json]",
	 "list your programs that run under mnm", "", ps_run},
	{"pools", "mnm pools [--json]", "list the pools", "", pools_run},
	{"stat", "mnm stat PID|--all [--device N] [--json]",
	 "figures of a running program", TARGET_HELP, ask_run},
	{"set", "mnm set PID|--all [--json] OPTION VALUE",
	 "change an option of a running program",
	 "  PID          a program that `mnm ps` lists\n"
	 "  --all        every program of yours that runs under mnm\n"
	 "  --json       for machines\n"
	 "  OPTION       fence or quarantine; `mnm run --help` says more\n",
	 ask_run},
	{"swap", "mnm swap PID|--all [--device N] [--no-wait] [--json] POOL",
	 "serve a running program from another pool",
	 CHANGE_HELP
	 "  POOL         a name that `mnm pools` lists; the current one's name\n"
	 "               makes it anew\n", change_run},
	{"reset", "mnm reset PID|--all [--device N] [--no-wait] [--json]",
	 "back to the pool that the program was started with", CHANGE_HELP,
	 change_run},
	{"trim", "mnm trim PID|--all [--device N] [--no-wait] [--json]",
	 "give a running program's idle blocks back to the driver",
	 CHANGE_HELP, change_run},
	{"doctor", "mnm doctor [--json] [-- PROGRAM [ARGUMENT]...]",
	 "show whether mnm works here, and under a program",
	 "  --json       for machines: level, subject, finding and advice of each\n"
	 "  PROGRAM      is looked at, with its libraries, and not run\n"
	 "One line a finding: ok, warning or problem, and what to do. To prove\n"
	 "it, doctor runs itself under the library (mnm doctor --probe), which\n"
	 "allocates a few blocks. Exit status 1: there is a problem.\n",
	 doctor_run},
	{NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

void command_help(const struct command *command)
{
	printf("usage: %s\n%s\n%s%s", command->usage, command->summary,
	       command->help && *command->help ? "\n" : "",
	       command->help ? command->help : "");
}

static void help(FILE *out)
{
	fprintf(out, "mnm %s: memory pools under unmodified CUDA programs\n\n",
		MNM_VERSION);
	for (const struct command *row = commands; row->name; row++)
		fprintf(out, "  mnm %-6s %s\n", row->name, row->summary);
	fprintf(out, "\nmnm COMMAND --help says more of each; the manual is "
		     "mnm(1).\n");
}

int usage_error(const struct command *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "mnm %s: ", command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; usage: %s\n", command->usage);
	return EXIT_USAGE;
}

int failure(const char *format, ...)
{
	va_list args;

	fputs("mnm: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[1], "--help", "help")) {
		help(stdout);
		return EXIT_DONE;
	}
	if (is_one_of(argv[1], "--version", "version")) {
		printf("mnm %s\n", MNM_VERSION);
		return EXIT_DONE;
	}
	for (const struct command *row = commands; row->name; row++)
		if (!strcmp(row->name, argv[1]))
			return row->run(row, argc - 1, argv + 1);
	fprintf(stderr, "mnm: unknown command '%s'; known:", argv[1]);
	for (const struct command *row = commands; row->name; row++)
		fprintf(stderr, " %s", row->name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}
