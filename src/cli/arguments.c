#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli.h"
#include "common/option.h"

/* getopt_long is to return each option's own number, which is past all letters.
 * If several options returned the same number, it would take --a for any of
 * them. */
enum { WATCH_SECONDS = 2, NO_OPTION = -1, PAST_LETTERS = 0x100 };

/* Sums of a few sizes are no larger than 2^63. */
#define BYTES_MOST ((size_t)1 << 62)

/* clang-format off */
const struct argument_row argument_rows[ARG_COUNT] = {
#define ARGUMENT(name, kind, option, value, help) \
	[ARG_##name] = {ARGUMENT_##kind, option, value, help},
	ARGUMENT_LIST
#undef ARGUMENT
};

/* How each kind is spelled: what stands before its option's name, between the
 * name and the value, and after the value. */
static const struct {
	int has_argument;
	const char *before, *between, *after;
} kinds[] = {
	[ARGUMENT_TARGET] = {no_argument, "PID|--", "", ""},
	[ARGUMENT_FLAG] = {no_argument, "--", "", ""},
	[ARGUMENT_TEXT] = {required_argument, "--", " ", ""},
	[ARGUMENT_SECONDS] = {optional_argument, "--", " [", "]"},
	[ARGUMENT_DELAY] = {required_argument, "--", " ", ""},
	[ARGUMENT_PROFILE] = {optional_argument, "--", "[=", "]"},
	[ARGUMENT_NAMES] = {optional_argument, "--", "[=", "]"},
	[ARGUMENT_SETTING] = {required_argument, "--", " ", ""},
	[ARGUMENT_SETTINGS] = {required_argument, "--", " ", ""},
	[ARGUMENT_PATH] = {required_argument, "--", " ", ""},
	[ARGUMENT_BYTES] = {required_argument, "--", " ", ""},
	[ARGUMENT_NUMBER] = {required_argument, "--", " ", ""},
	[ARGUMENT_TIME] = {required_argument, "--", " ", ""},
	[ARGUMENT_FILE] = {NO_OPTION, "", "", ""},
	[ARGUMENT_WORD] = {NO_OPTION, "", "", ""},
	[ARGUMENT_PROGRAM] = {NO_OPTION, "-- ", "", ""},
};
/* clang-format on */

static bool is_letter(const struct argument_row *row)
{
	return row->option && !row->option[1];
}

const char *argument_spelled(const struct argument_row *row,
			     char text[SPELLED_SIZE])
{
	snprintf(text, SPELLED_SIZE, "%s%s%s%s%s",
		 is_letter(row) ? "-" : kinds[row->kind].before,
		 row->option ? row->option : "", kinds[row->kind].between,
		 row->value, kinds[row->kind].after);
	return text;
}

bool command_takes(const struct command *command, enum argument argument)
{
	for (const int *takes = command->takes; *takes; takes++)
		if ((*takes & ARGUMENT_MASK) == (int)argument)
			return true;
	return false;
}

/* Whether the text is one word. An empty text is none: it may come from a
 * script whose variable is not set. */
static bool is_word(const char *text)
{
	json_t *json = json_string(text); /* NULL if it is not UTF-8 */
	bool word = json && text && *text && !text[strcspn(text, " \t\r\n")];

	json_decref(json);
	return word;
}

static int word_read(const struct command *command,
		     const struct argument_row *row, const char *text,
		     const char **word)
{
	*word = text;
	if (is_word(text))
		return EXIT_DONE;
	return usage_error(command, "%s%s '%s' is not one word",
			   row->option ? "--" : "",
			   row->option ? row->option : row->value, text);
}

int pid_read(const struct command *command, const char *text, int *pid)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (!*text || *end || number <= 0 || number > 4194304)
		return usage_error(command, "'%s' is no PID", text);
	*pid = (int)number;
	return EXIT_DONE;
}

int device_read(const struct command *command,
		const struct arguments *arguments, int *device)
{
	*device = arguments->device ? device_parse(arguments->device) : -1;
	if (!arguments->device || *device >= 0)
		return EXIT_DONE;
	return usage_error(command, "--device '%s'; allowed: a number, or host",
			   arguments->device);
}

static int seconds_read(const struct command *command,
			const struct argument_row *row, const char *text,
			double *seconds)
{
	char *end;

	*seconds = text ? strtod(text, &end) : WATCH_SECONDS;
	if (!text || (isdigit((unsigned char)*text) && !*end &&
		      *seconds >= 0.1 && *seconds <= 86400))
		return EXIT_DONE;
	return usage_error(command, "--%s '%s'; allowed: 0.1 to 86400 seconds",
			   row->option, text);
}

static int time_read(const struct command *command,
		     const struct argument_row *row, const char *text,
		     double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (isdigit((unsigned char)*text) && !*end && *seconds >= 0.001 &&
	    *seconds <= 86400)
		return EXIT_DONE;
	return usage_error(command,
			   "--%s '%s'; allowed: 0.001 to 86400 seconds",
			   row->option, text);
}

static int bytes_read(const struct command *command,
		      const struct argument_row *row, const char *text,
		      size_t *bytes)
{
	if (size_parse(text, bytes) && *bytes && *bytes <= BYTES_MOST)
		return EXIT_DONE;
	return usage_error(command,
			   "--%s '%s'; allowed: bytes, 1 to 2^62, with K, M "
			   "or G",
			   row->option, text);
}

static int number_read(const struct command *command,
		       const struct argument_row *row, const char *text,
		       struct number *number)
{
	char *end;

	errno = 0;
	number->value = strtoull(text, &end, 10);
	number->given = true;
	if (isdigit((unsigned char)*text) && !*end && !errno)
		return EXIT_DONE;
	return usage_error(command, "--%s '%s' is no whole number", row->option,
			   text);
}

static int path_read(const struct command *command,
		     const struct argument_row *row, const char *text,
		     const char **path)
{
	char spelled[SPELLED_SIZE];

	*path = text;
	if (*text)
		return EXIT_DONE;
	return usage_error(command, "%s is empty",
			   argument_spelled(row, spelled));
}

static int setting_add(struct arguments *arguments,
		       const struct argument_row *row, char *text)
{
	struct setting *grown = realloc(arguments->settings,
					(size_t)(arguments->setting_count + 1) *
						sizeof(*grown));

	if (!grown)
		return failure("no memory");
	arguments->settings = grown;
	grown[arguments->setting_count++] = (struct setting){row->option, text};
	return EXIT_DONE;
}

/* Stores the text of an argument, or the value after it. */
static int argument_read(const struct command *command, enum argument argument,
			 char *text, struct arguments *arguments)
{
	const struct argument_row *row = &argument_rows[argument];
	/* Of a kind that has a value in any case. */
	const char *given = text ? text : "";

	/* A row's kind names its reader; the field's own type must fit it. */
#define READ_TARGET(field)   pid_read(command, given, &arguments->pid)
#define READ_FLAG(field)     (arguments->field = true, EXIT_DONE)
#define READ_TEXT(field)     word_read(command, row, text, &arguments->field)
#define READ_WORD(field)     word_read(command, row, text, &arguments->field)
#define READ_SECONDS(field)  seconds_read(command, row, text, &arguments->field)
#define READ_DELAY(field)    seconds_read(command, row, given, &arguments->field)
#define READ_PATH(field)     path_read(command, row, given, &arguments->field)
#define READ_FILE(field)     path_read(command, row, given, &arguments->field)
#define READ_BYTES(field)    bytes_read(command, row, given, &arguments->field)
#define READ_NUMBER(field)   number_read(command, row, given, &arguments->field)
#define READ_TIME(field)     time_read(command, row, given, &arguments->field)
#define READ_PROFILE(field)  (arguments->field = text ? text : "", EXIT_DONE)
#define READ_NAMES(field)    (arguments->field = text ? text : "all", EXIT_DONE)
#define READ_SETTING(field)  setting_add(arguments, row, text)
#define READ_SETTINGS(field) setting_add(arguments, row, text)
#define READ_PROGRAM(field)  EXIT_DONE
#define ARGUMENT(name, kind, option, value, help) \
	if (argument == ARG_##name) \
		return READ_##kind(name);
	ARGUMENT_LIST
#undef ARGUMENT
	return EXIT_DONE;
}

/* Reads what is left after the options, in the order of the usage line. */
static int words_read(const struct command *command, int argc, char **argv,
		      struct arguments *arguments)
{
	const struct argument_row *row;
	int status = EXIT_DONE;

	for (const int *takes = command->takes; *takes && !status; takes++) {
		row = &argument_rows[*takes & ARGUMENT_MASK];
		if (row->kind == ARGUMENT_TARGET ? arguments->all
						 : !!row->option)
			continue;
		if (optind == argc && *takes & MAYBE)
			continue;
		if (optind == argc)
			return row->kind == ARGUMENT_TARGET
				       ? usage_error(command,
						     "no PID and no --all")
				       : usage_error(
						 command, "no %.*s",
						 (int)strcspn(row->value, " "),
						 row->value);
		if (row->kind == ARGUMENT_PROGRAM) {
			arguments->program = argv + optind;
			return EXIT_DONE;
		}
		status = argument_read(command, *takes & ARGUMENT_MASK,
				       argv[optind++], arguments);
	}
	if (!status && optind < argc)
		return usage_error(command, "'%s' is one word too many",
				   argv[optind]);
	return status;
}

/* The word that getopt_long does not understand. It has not gone past a word of
 * letters unless it stopped at the last one. An option that it understands only
 * without a value has its own number. */
static const char *word_refused(char *const *argv)
{
	const char *before = argv[optind - 1];
	bool letter = optopt && optopt != 'h' && optopt < PAST_LETTERS;

	if (letter &&
	    (*before != '-' || before[strlen(before) - 1] != (char)optopt))
		return argv[optind];
	return before;
}

/* Tells an option of other commands from one that nobody knows. */
static int option_refuse(const struct command *command, const char *word)
{
	for (int i = ARG_NONE + 1; i < ARG_COUNT; i++)
		if (argument_rows[i].option && !strncmp(word, "--", 2) &&
		    !strcmp(word + 2, argument_rows[i].option) &&
		    !command_takes(command, i))
			return usage_error(command, "%s has no meaning here",
					   word);
	return usage_error(command, "'%s' is not understood", word);
}

/* The options that a command takes. */
struct taken {
	struct option options[ARGUMENTS_MAX + 1];
	char letters[2 * ARGUMENTS_MAX + sizeof("+:h")];
};

static void taken_fill(const struct command *command, struct taken *taken)
{
	bool program = command_takes(command, ARG_program);
	int count = 0;
	char *letter;

	memset(taken, 0, sizeof(*taken));
	/* What follows the first word is the program's. */
	letter = stpcpy(taken->letters, program ? "+:h" : ":h");
	for (const int *takes = command->takes; *takes; takes++) {
		int argument = *takes & ARGUMENT_MASK;
		const struct argument_row *row = &argument_rows[argument];

		if (is_letter(row)) {
			*letter++ = *row->option;
			*letter++ = ':';
		}
		if (!row->option || is_letter(row))
			continue;
		taken->options[count++] = (struct option){
			row->option, kinds[row->kind].has_argument, NULL,
			PAST_LETTERS + argument};
	}
	taken->options[count] = (struct option){"help", no_argument, NULL, 'h'};
}

/* Which argument getopt_long has found. */
static enum argument argument_found(const struct command *command, int option)
{
	if (option >= PAST_LETTERS)
		return option - PAST_LETTERS;
	for (const int *takes = command->takes; *takes; takes++)
		if (is_letter(&argument_rows[*takes & ARGUMENT_MASK]) &&
		    *argument_rows[*takes & ARGUMENT_MASK].option == option)
			return *takes & ARGUMENT_MASK;
	return ARG_NONE;
}

/* Reads an option that getopt_long has found. */
static int option_read(const struct command *command, enum argument argument,
		       int argc, char **argv, struct arguments *arguments)
{
	char *text = optarg;

	if (argument == ARG_target) {
		arguments->all = true;
		return EXIT_DONE;
	}
	/* The seconds may also be a word of their own. */
	if (argument_rows[argument].kind == ARGUMENT_SECONDS && !text &&
	    optind < argc && argv[optind][0] != '-')
		text = argv[optind++];
	return argument_read(command, argument, text, arguments);
}

int arguments_read(const struct command *command, int argc, char **argv,
		   struct arguments *arguments)
{
	struct taken taken;
	int option, status = EXIT_DONE;

	memset(arguments, 0, sizeof(*arguments));
	taken_fill(command, &taken);
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, taken.letters,
						taken.options, NULL)) != -1) {
		if (option == 'h') {
			command_help(command);
			return EXIT_HELPED;
		}
		if (option == ':')
			return usage_error(command, "%s needs a value",
					   argv[optind - 1]);
		if (option == '?')
			return option_refuse(command, word_refused(argv));
		status = option_read(command, argument_found(command, option),
				     argc, argv, arguments);
	}
	return status ? status : words_read(command, argc, argv, arguments);
}

void arguments_free(struct arguments *arguments)
{
	free(arguments->settings);
}
