/* Usage lines and --help, from the rows of commands and arguments. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Prints the usage line, which begins at that column. In an error, column 0, it
 * is one line; in a help text it goes on where a terminal's line ends. */
static void usage_print(FILE *out, const struct command *command, int column)
{
	enum { WIDTH = 80 };
	char spelled[SPELLED_SIZE], word[SPELLED_SIZE + 8];
	int indent = column ? column + (int)strlen("mnm ") : 0;

	column += fprintf(out, "mnm %s", command->name);
	for (const int *takes = command->takes; *takes; takes++) {
		const struct argument_row *row =
			&argument_rows[*takes & ARGUMENT_MASK];
		bool maybe = *takes & MAYBE ||
			     (row->option && row->kind != ARGUMENT_TARGET &&
			      !(*takes & NEEDED));

		if (!row->help)
			continue;
		snprintf(word, sizeof(word), maybe ? " [%s]%s" : " %s%s",
			 argument_spelled(row, spelled),
			 row->kind == ARGUMENT_SETTINGS ? "..." : "");
		if (indent && column + (int)strlen(word) > WIDTH)
			column = fprintf(out, "\n%*s", indent, "") - 1;
		column += fprintf(out, "%s", word);
	}
	fputc('\n', out);
}

/* Prints a row in two columns; the second has as many lines as the text. */
static void argument_help(const struct argument_row *row, int width)
{
	char spelled[SPELLED_SIZE];
	const char *line = row->help;
	int length;

	printf("  %-*s  ", width, argument_spelled(row, spelled));
	for (;;) {
		length = (int)strcspn(line, "\n");
		printf("%.*s\n", length, line);
		line += length;
		if (!*line++)
			return;
		printf("%*s", width + 4, "");
	}
}

void command_help(const struct command *command)
{
	char spelled[SPELLED_SIZE];
	int width = 0, length;

	usage_print(stdout, command, printf("usage: "));
	printf("%s\n%s", command->summary, *command->takes ? "\n" : "");
	for (const int *takes = command->takes; *takes; takes++) {
		length = (int)strlen(argument_spelled(
			&argument_rows[*takes & ARGUMENT_MASK], spelled));
		width = length > width ? length : width;
	}
	for (const int *takes = command->takes; *takes; takes++)
		if (argument_rows[*takes & ARGUMENT_MASK].help)
			argument_help(&argument_rows[*takes & ARGUMENT_MASK],
				      width);
	if (command->notes)
		printf("\n%s", command->notes);
	if (command->more)
		command->more();
}

int usage_error(const struct command *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "mnm %s: ", command->name);
	va_start(args, format);
	error_vprint(format, args);
	va_end(args);
	fprintf(stderr, "; usage: ");
	usage_print(stderr, command, 0);
	return EXIT_USAGE;
}
