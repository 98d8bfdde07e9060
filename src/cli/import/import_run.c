/* mnm import: makes a recording of what others have written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plan/replacement.h"
#include "import.h"
#include "record/record_file.h"

void import_more(void)
{
	printf("\nFormats:\n");
	for (const struct import_format *row = import_formats; row->name; row++)
		printf("  %-8s %s\n", row->name, row->help);
}

static void formats_print(void)
{
	for (const struct import_format *row = import_formats; row->name; row++)
		fprintf(stderr, " %s", row->name);
	fputc('\n', stderr);
}

static const struct import_format *format_find(const char *name)
{
	const struct import_format *row = import_formats;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	if (row->name)
		return row;
	error_print("mnm: --format '%s'; allowed:", name);
	formats_print();
	return NULL;
}

static bool import_write(const struct import *import,
			 const struct import_format *format, const char *path)
{
	char *head = import_head(import, format->name);
	struct replacement replacement;
	FILE *to;

	if (!head || strlen(head) >= RECORD_LINE_MOST) {
		free(head);
		return !failure(head ? "the names of pools are too long"
				     : "no memory");
	}
	to = replacement_begin(&replacement, path);
	if (to) {
		fputs(head, to);
		if (import->frames.size)
			fwrite(import->frames.at, 1, import->frames.size, to);
	}
	free(head);
	return to && replacement_end(&replacement);
}

int import_run(const struct command *command, const struct arguments *arguments)
{
	const struct import_format *format = NULL;
	struct import import;
	bool done;

	if (!arguments->into)
		return usage_error(command, "no -o FILE");
	if (arguments->source_format) {
		format = format_find(arguments->source_format);
		if (!format)
			return EXIT_USAGE;
	}
	if (!replacement_possible(arguments->into, arguments->source))
		return EXIT_FAILED;
	if (!import_begin(&import, arguments->source)) {
		import_end(&import);
		return failure("no memory");
	}
	done = import_file(&import, &format) &&
	       import_write(&import, format, arguments->into);
	if (done && import.cut)
		done = !failure("%s:%u: %s; what comes before is in %s",
				import.path, import.cut_line, import.cut,
				arguments->into);
	import_end(&import);
	return done ? EXIT_DONE : EXIT_FAILED;
}
