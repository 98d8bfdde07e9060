#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../output.h"
#include "common/text.h"
#include "report.h"

static const char *const level_names[] = {"ok", "warning", "problem"};

static const enum highlight colours[] = {HIGHLIGHT_END, HIGHLIGHT_WARNING,
					 HIGHLIGHT_PROBLEM};

enum { WIDTH = 80, INDENT = 20 };

/* The length of the next word. A command in backquotes is one word, so that it
 * can be copied. */
static int word_length(const char *text)
{
	const char *end = *text == '`' ? strchr(text + 1, '`') : NULL;

	end = end ? end : text;
	return (int)(end - text + (long)strcspn(end, " "));
}

/* Prints lines that fit a terminal, unless a word is longer than a line. In a
 * pipe, a finding is one line. */
static void text_wrap(const char *text, int column)
{
	if (!isatty(STDOUT_FILENO)) {
		fputs(text, stdout);
		return;
	}
	while (*text) {
		int length = word_length(text);

		if (column > INDENT && column + 1 + length > WIDTH) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			putchar(' ');
			column++;
		}
		column += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
}

static void finding_print(enum level level, const char *subject,
			  const char *text, const char *advice)
{
	char whole[2056];

	printf("%s%-8s%s %-10s ",
	       level == LEVEL_OK ? "" : highlight(colours[level]),
	       level_names[level],
	       level == LEVEL_OK ? "" : highlight(HIGHLIGHT_END), subject);
	snprintf(whole, sizeof(whole), "%s%s%s", text, *advice ? " -> " : "",
		 advice);
	text_wrap(whole, INDENT);
	putchar('\n');
	fflush(stdout);
}

void report_add(struct report *report, enum level level, const char *subject,
		const char *advice, const char *format, ...)
{
	char text[1024], way[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_plain(text, text, sizeof(text));
	text_plain(advice, way, sizeof(way));
	report->problem |= level == LEVEL_PROBLEM;
	if (report->findings) {
		json_array_append_new(report->findings,
				      json_pack("{s:s,s:s,s:s,s:s}", "level",
						level_names[level], "subject",
						subject, "finding", text,
						"advice", way));
		return;
	}
	finding_print(level, subject, text, way);
}
