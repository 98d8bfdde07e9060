/* The formats, and how a file's own is found. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/file_stat.h"
#include "import.h"
#include "record/record_file.h"

/* clang-format off */
const struct import_format import_formats[] = {
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
	const struct import_format *row = import_formats;
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

const char *import_text_end(struct import *import)
{
	if (!import->text->cut || import->text->number < 2)
		return import->text->error;
	import->cut = import->text->error;
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

bool import_file(struct import *import, const struct import_format **format)
{
	struct text_file *text = calloc(1, sizeof(*text));
	bool lines;
	struct stat st;
	const char *wrong;

	if (!*format && is_pickle(import->path))
		*format = import_formats;
	lines = !*format || (*format)->text;
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
	else if (import->cut)
		import->cut_line = text->number;
	if (lines)
		text_close(text);
	free(text);
	return !wrong;
}
