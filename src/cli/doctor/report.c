#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../output.h"
#include "report.h"

static const char *const level_names[] = {"ok", "warning", "problem"};

static const enum highlight colours[] = {HIGHLIGHT_END, HIGHLIGHT_WARNING,
					 HIGHLIGHT_PROBLEM};

/* Paths and variables come as they are: nothing that a terminal would obey
 * or JSON can't hold. */
static void text_clean(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text) || (*text & 0x80))
			*text = '?';
}

void report_add(struct report *report, enum level level, const char *subject,
		const char *advice, const char *format, ...)
{
	const char *name = level_names[level];
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_clean(text);
	report->problem |= level == LEVEL_PROBLEM;
	if (report->findings) {
		json_array_append_new(report->findings,
				      json_pack("{s:s,s:s,s:s,s:s}", "level",
						name, "subject", subject,
						"finding", text, "advice",
						advice ? advice : ""));
		return;
	}
	printf("%s%-8s%s %-10s %s%s%s\n",
	       level == LEVEL_OK ? "" : highlight(colours[level]), name,
	       level == LEVEL_OK ? "" : highlight(HIGHLIGHT_END), subject, text,
	       advice ? " -> " : "", advice ? advice : "");
	fflush(stdout);
}
