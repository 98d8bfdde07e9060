#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool number_parse(const char *text, int *number)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value <= 0 || value > 4194304)
		return false;
	*number = (int)value;
	return true;
}

/* Whether the command's usage line names a word. */
static bool takes(const struct command *command, const char *word)
{
	return strstr(command->usage, word);
}

static int positionals_read(const struct command *command, int argc,
			    char **argv, struct arguments *arguments)
{
	static const char *const words[] = {" POOL", " OPTION", " VALUE", NULL};
	int count = 0;

	if (takes(command, "PID") && !arguments->all) {
		if (optind == argc)
			return usage_error(command, "no PID and no --all");
		if (!number_parse(argv[optind], &arguments->pid))
			return usage_error(command, "'%s' is no PID",
					   argv[optind]);
		optind++;
	}
	for (int i = 0; words[i]; i++) {
		if (!takes(command, words[i]))
			continue;
		if (optind == argc)
			return usage_error(command, "no %s", words[i] + 1);
		arguments->words[count++] = argv[optind++];
	}
	if (optind < argc)
		return usage_error(command, "'%s' is one word too many",
				   argv[optind]);
	return EXIT_DONE;
}

int arguments_read(const struct command *command, int argc, char **argv,
		   struct arguments *arguments)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"all", no_argument, NULL, 'a'},
		{"no-wait", no_argument, NULL, 'n'},
		{"device", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, index = 0;
	char spelled[16] = "--";

	memset(arguments, 0, sizeof(*arguments));
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (option == 'h') {
			command_help(command);
			exit(EXIT_DONE);
		}
		if (option == '?' || option == ':')
			return usage_error(command, "'%s' is not understood",
					   argv[optind - 1]);
		strncpy(spelled + 2, options[index].name, 12);
		if (!takes(command, spelled))
			return usage_error(command, "%s has no meaning here",
					   spelled);
		arguments->json |= option == 'j';
		arguments->all |= option == 'a';
		arguments->no_wait |= option == 'n';
		if (option == 'd')
			arguments->device = optarg;
	}
	return positionals_read(command, argc, argv, arguments);
}
