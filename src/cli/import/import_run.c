/* mnm import: makes a recording of what others have written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/plan/replacement.h"
#include "common/file_stat.h"
#include "import.h"
#include "record/record_file.h"

struct import_format {
	const char *name, *help;
	bool text; /* it has lines */
	bool (*is)(const char *line);
	const char *(*read)(struct import *import);
};

/* clang-format off */
static const struct import_format formats[] = {
	{"torch", "a snapshot of torch.cuda.memory._dump_snapshot()", false,
	 NULL, import_torch},
	{"rmm", "what RMM's logging adaptor has written", true,
	 import_is_rmm, import_rmm},
	{"trace", "a trace as those of examples/traces, plain or zstd", true,
	 import_is_trace, import_trace},
	{"csv", "what mnm export --format csv has written", true,
	 import_is_csv, import_csv},
	{NULL, NULL, false, NULL, NULL},
};
/* clang-format on */

void import_more(void)
{
	printf("\nFormats:\n");
	for (const struct import_format *row = formats; row->name; row++)
		printf("  %-8s %s\n", row->name, row->help);
}

static void formats_print(void)
{
	for (const struct import_format *row = formats; row->name; row++)
		fprintf(stderr, " %s", row->name);
	fputc('\n', stderr);
}

static const struct import_format *format_find(const char *name)
{
	const struct import_format *row = formats;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	if (row->name)
		return row;
	fprintf(stderr, "mnm: --format '%s'; allowed:", name);
	formats_print();
	return NULL;
}

/* Whether a file begins as a pickle: with its protocol, or, before there was
 * one, with a dict or a mark. What comes through a pipe is not looked at. */
static bool is_pickle(const char *path)
{
	unsigned char first[2] = {0};
	struct stat st;
	int fd;

	if (file_stat(path, &st, 0) || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, first, sizeof(first)) < 1)
		*first = 0;
	close(fd);
	return (*first == 0x80 && first[1] <= 5) || *first == '}' ||
	       (*first == '(' && (first[1] == 'd' || first[1] == 'l'));
}

/* Finds the format by the first line, which comes again. */
static const struct import_format *format_of(struct import *import,
					     const char **wrong)
{
	const struct import_format *row = formats;
	const char *line = text_line(import->text);

	import->text->again = line;
	*wrong = import->text->error;
	if (!line && !*wrong)
		*wrong = "nothing in it";
	if (*wrong)
		return NULL;
	while (row->name && !(row->is && row->is(line)))
		row++;
	if (row->name)
		return row;
	import->text->number = 0;
	*wrong = strncmp(line, RECORD_MAGIC, sizeof(RECORD_MAGIC) - 1)
			 ? "its format is none of torch, rmm, trace and csv"
			 : "it is a recording already";
	return NULL;
}

static const char *import_read(struct import *import,
			       const struct import_format **format)
{
	const char *wrong = NULL;

	if (!*format)
		*format = format_of(import, &wrong);
	if (!wrong)
		wrong = (*format)->read(import);
	if (!wrong)
		wrong = import_flush(import);
	import_progress_end(import);
	return wrong;
}

/* Opens the file, if it is one of lines, and reads it. On failure prints a line
 * and returns false. */
static bool import_file(struct import *import,
			const struct import_format **format)
{
	struct text_file *text = calloc(1, sizeof(*text));
	bool lines = !*format || (*format)->text;
	struct stat st;
	const char *wrong;

	if (!text || (lines && text_open(text, import->path))) {
		failure("%s: %s", import->path, strerror(errno));
		free(text);
		return false;
	}
	if (!file_stat(import->path, &st, 0) && S_ISREG(st.st_mode))
		import->total = (uint64_t)st.st_size;
	import->text = text;
	wrong = import_read(import, format);
	if (wrong && text->number)
		failure("%s:%u: %s", import->path, text->number, wrong);
	else if (wrong)
		failure("%s: %s", import->path, wrong);
	if (lines)
		text_close(text);
	free(text);
	return !wrong;
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
	} else if (is_pickle(arguments->source)) {
		format = formats;
	}
	if (!replacement_possible(arguments->into))
		return EXIT_FAILED;
	if (!import_begin(&import, arguments->source)) {
		import_end(&import);
		return failure("no memory");
	}
	done = import_file(&import, &format) &&
	       import_write(&import, format, arguments->into);
	import_end(&import);
	return done ? EXIT_DONE : EXIT_FAILED;
}
