#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "common/version.h"

#define PROGRAM_HELP \
	"  PID          a program that `mnm ps` lists\n" \
	"  --all        every program of yours that runs under mnm; as root of\n" \
	"               every user; with MNM_SOCKET_DIR those of that folder.\n" \
	"               One that does not answer is named, and the status is 1\n"
#define TARGET_HELP \
	PROGRAM_HELP \
	"  --device N   only that device [all in use]\n" \
	"  --json       for machines\n"
#define CHANGE_HELP \
	TARGET_HELP \
	"  --no-wait    don't wait (2 s at most) for the program to give\n" \
	"               its idle blocks back: it does so at once if it has no\n" \
	"               work under way, else at its next free\n"

/* clang-format off */
static const struct command commands[] = {
	{"run", "mnm run [--pool P] [--sim[=PROFILE]] [--set KEY=VALUE]... "
		"-- PROGRAM ...",
	 "run a CUDA program with a memory pool under it", NULL, run_run},
	{"ps", "mnm ps [--watch [SECONDS]] [--json]",
	 "list your programs that run under mnm",
	 "  --watch [S]  again every S seconds [2], until Ctrl-C\n"
	 "  --json       for machines\n"
	 "Root sees the programs of every user. With MNM_SOCKET_DIR only those of\n"
	 "that folder are listed. LIVE is what a program asked for and has not\n"
	 "freed, RESERVED what it has of the device, HITS how many of its requests\n"
	 "idle memory has served. Exit status 1: one does not answer.\n", ps_run},
	{"pools", "mnm pools [--json]", "list the pools", "", pools_run},
	{"stat", "mnm stat PID|--all [--device N] [--all-figures] [--json]",
	 "figures and options of a running program",
	 TARGET_HELP
	 "  --all-figures  also those that are zero, and options without a value\n",
	 ask_run},
	{"set", "mnm set PID|--all [--json] OPTION [VALUE]",
	 "tell or change an option of a running program",
	 PROGRAM_HELP
	 "  --json       for machines\n"
	 "  OPTION       one of those that `mnm run --help` lists\n"
	 "  VALUE        what it is to be; the program says which options can be\n"
	 "               changed while it runs. Without a VALUE: what it is\n",
	 ask_run},
	{"swap", "mnm swap PID|--all [--device N] [--no-wait] [--json] POOL",
	 "serve a running program from another pool",
	 CHANGE_HELP
	 "  POOL         a name that `mnm pools` lists, for one device DEVICE:NAME,\n"
	 "               for pinned memory host:NAME; several with commas. The\n"
	 "               current one's name makes it anew\n", change_run},
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
	 "A finding is ok, a warning or a problem, and what to do. To prove\n"
	 "it, doctor runs itself under the library (mnm doctor --probe), which\n"
	 "allocates a few blocks. Exit status 1: there is a problem.\n",
	 doctor_run},
	{"help", "mnm help [COMMAND]", "say more of a command", "", help_run},
	{"version", "mnm version", "say which version this is", "", version_run},
	{NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

void command_help(const struct command *command)
{
	printf("usage: %s\n%s\n%s%s", command->usage, command->summary,
	       command->help && *command->help ? "\n" : "",
	       command->help ? command->help : "");
}

static void commands_help(FILE *out)
{
	fprintf(out, "mnm %s: memory pools under unmodified CUDA programs\n\n",
		MNM_VERSION);
	for (const struct command *row = commands; row->name; row++)
		fprintf(out, "  mnm %-7s %s\n", row->name, row->summary);
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

const struct command *command_find(const char *name)
{
	for (const struct command *row = commands; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	fprintf(stderr, "mnm: unknown command '%s'; known:", name);
	for (const struct command *row = commands; row->name; row++)
		fprintf(stderr, " %s", row->name);
	fputc('\n', stderr);
	return NULL;
}

/* The command's own --help, or that of all. */
int help_run(const struct command *command, int argc, char **argv)
{
	static char word[] = "--help";
	char *words[] = {NULL, word, NULL};

	if (argc > 2)
		return usage_error(command, "'%s' is one word too many",
				   argv[2]);
	if (argc < 2) {
		commands_help(stdout);
		return EXIT_DONE;
	}
	if (is_one_of(argv[1], "--help", "-h")) {
		command_help(command);
		return EXIT_DONE;
	}
	command = command_find(argv[1]);
	if (!command)
		return EXIT_USAGE;
	words[0] = argv[1];
	return command->run(command, 2, words);
}

int version_run(const struct command *command, int argc, char **argv)
{
	struct arguments none;
	int status = arguments_read(command, argc, argv, &none);

	if (!status)
		printf("mnm %s\n", MNM_VERSION);
	return status;
}

static int mnm(int argc, char **argv)
{
	static char help[] = "help", version[] = "version";
	const struct command *command;

	if (argc < 2) {
		commands_help(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[1], "--help", "-h"))
		argv[1] = help;
	else if (is_one_of(argv[1], "--version", "-V"))
		argv[1] = version;
	command = command_find(argv[1]);
	return command ? command->run(command, argc - 1, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	output_open();
	status = mnm(argc, argv);
	return output_close(status == EXIT_HELPED ? EXIT_DONE : status);
}
