#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "common/version.h"

static void commands_help(FILE *out)
{
	fprintf(out, "mnm %s: memory pools under unmodified CUDA programs\n\n",
		MNM_VERSION);
	for (const struct command *row = commands; row->name; row++)
		fprintf(out, "  mnm %-7s %s\n", row->name, row->summary);
	fprintf(out, "\nmnm COMMAND --help says more about each; the manual is "
		     "mnm(1).\n");
}

/* Prints the command's own --help, or that of all. */
int help_run(const struct command *command, const struct arguments *arguments)
{
	if (!arguments->topic) {
		commands_help(stdout);
		return EXIT_DONE;
	}
	command = command_find(arguments->topic);
	if (!command)
		return EXIT_USAGE;
	command_help(command);
	return EXIT_DONE;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static int mnm(int argc, char **argv)
{
	static char help[] = "help", version[] = "version";
	struct arguments arguments;
	const struct command *command;
	int status;

	if (argc < 2) {
		commands_help(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[1], "--help", "-h"))
		argv[1] = help;
	else if (is_one_of(argv[1], "--version", "-V"))
		argv[1] = version;
	command = command_find(argv[1]);
	if (!command)
		return EXIT_USAGE;
	status = arguments_read(command, argc - 1, argv + 1, &arguments);
	if (!status)
		status = command->run(command, &arguments);
	arguments_free(&arguments);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	output_open();
	status = mnm(argc, argv);
	return output_close(status == EXIT_HELPED ? EXIT_DONE : status);
}
