#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/text.h"

void error_vprint(const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		return;
	fputs(text_plain(text, text, strlen(text) + 1), stderr);
	free(text);
}

void error_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_vprint(format, args);
	va_end(args);
}

int failure(const char *format, ...)
{
	va_list args;

	fputs("mnm: ", stderr);
	va_start(args, format);
	error_vprint(format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILED;
}
