#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { WATCH_SECONDS = 2 };

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

/* Whether that word, as in " POOL", may be left out. */
static bool is_optional(const struct command *command, const char *word)
{
	char brackets[16];

	snprintf(brackets, sizeof(brackets), " [%s]", word + 1);
	return takes(command, brackets);
}

/* An empty one would be none to the program that is asked, and one with a space
 * two. */
static bool is_word(const char *text)
{
	return *text && !text[strcspn(text, " \t\r\n")];
}

static int positionals_read(const struct command *command, int argc,
			    char **argv, struct arguments *arguments)
{
	static const char *const words[] = {" POOL", " OPTION", " VALUE", NULL};
	int count = 0;

	if (arguments->device && !is_word(arguments->device))
		return usage_error(command, "--device '%s' is not one word",
				   arguments->device);
	if (takes(command, " PID") && !arguments->all) {
		if (optind == argc)
			return usage_error(command, "no PID and no --all");
		if (!number_parse(argv[optind], &arguments->pid))
			return usage_error(command, "'%s' is no PID",
					   argv[optind]);
		optind++;
	}
	for (int i = 0; words[i]; i++) {
		bool optional = is_optional(command, words[i]);

		if (!optional && !takes(command, words[i]))
			continue;
		if (optind == argc && optional)
			continue;
		if (optind == argc)
			return usage_error(command, "no %s", words[i] + 1);
		if (!is_word(argv[optind]))
			return usage_error(command, "%s '%s' is not one word",
					   words[i] + 1, argv[optind]);
		arguments->words[count++] = argv[optind++];
	}
	if (optind < argc)
		return usage_error(command, "'%s' is one word too many",
				   argv[optind]);
	return EXIT_DONE;
}

/* The seconds of --watch, which may follow it as a word of its own. */
static int watch_read(const struct command *command, int argc, char **argv,
		      struct arguments *arguments)
{
	const char *text = optarg;
	char *end;

	if (!text && optind < argc && argv[optind][0] != '-')
		text = argv[optind++];
	arguments->watch = text ? strtod(text, &end) : WATCH_SECONDS;
	if (!text || (isdigit((unsigned char)*text) && !*end &&
		      arguments->watch >= 0.1 && arguments->watch <= 86400))
		return EXIT_DONE;
	return usage_error(command,
			   "--watch '%s'; allowed: 0.1 to 86400 "
			   "seconds",
			   text);
}

int arguments_read(const struct command *command, int argc, char **argv,
		   struct arguments *arguments)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"all", no_argument, NULL, 'a'},
		{"no-wait", no_argument, NULL, 'n'},
		{"device", required_argument, NULL, 'd'},
		{"all-figures", no_argument, NULL, 'f'},
		{"watch", optional_argument, NULL, 'w'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, index = 0;
	char spelled[16] = "--";

	memset(arguments, 0, sizeof(*arguments));
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, &index)) !=
	       -1) {
		if (option == 'h') {
			command_help(command);
			return EXIT_HELPED;
		}
		if (option == ':')
			return usage_error(command, "%s needs a value",
					   argv[optind - 1]);
		if (option == '?')
			return usage_error(command, "'%s' is not understood",
					   argv[optind - 1]);
		snprintf(spelled + 2, sizeof(spelled) - 2, "%s",
			 options[index].name);
		if (!takes(command, spelled))
			return usage_error(command, "%s has no meaning here",
					   spelled);
		arguments->json |= option == 'j';
		arguments->all |= option == 'a';
		arguments->no_wait |= option == 'n';
		arguments->all_figures |= option == 'f';
		if (option == 'd')
			arguments->device = optarg;
		if (option == 'w' && watch_read(command, argc, argv, arguments))
			return EXIT_USAGE;
	}
	return positionals_read(command, argc, argv, arguments);
}
