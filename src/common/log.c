#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "log.h"

static _Atomic int level_shown = LOG_WARN;

void log_level_set(enum log_level level)
{
	level_shown = (int)level;
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char *const names[] = {"", "error", "warn", "info",
					    "debug"};
	char line[512];
	int saved = errno, head, tail;
	size_t length;
	va_list args;

	if ((int)level > level_shown)
		return;
	head = snprintf(line, sizeof(line), "mnm: %s: ", names[level]);
	va_start(args, format);
	tail = vsnprintf(line + head, sizeof(line) - (size_t)head, format,
			 args);
	va_end(args);
	length = (size_t)head + (tail > 0 ? (size_t)tail : 0);
	if (length > sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	/* One write, so that lines of several threads don't mix. */
	if (write(STDERR_FILENO, line, length) < 0)
		errno = saved; /* stderr may be closed: nothing to do */
	errno = saved;
}
