#include <stdarg.h>
#include <stdio.h>

#include "cli.h"

int failure(const char *format, ...)
{
	va_list args;

	fputs("mnm: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILED;
}
