#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

static _Atomic int level_shown = LOG_WARN;
static __thread void (*through)(const char *line, size_t length);

void log_level_set(enum log_level level)
{
	level_shown = (int)level;
}

bool log_shows(enum log_level level)
{
	return (int)level <= level_shown;
}

/* Makes one write, so that lines of several threads don't mix. A stderr that
 * nobody reads must not end the program: a SIGPIPE that this write has caused
 * is taken away again. If the program does not block SIGPIPE, none can have
 * been pending before. The mask is the calling thread's; see
 * src/preload/thread.c. Nor may the line end a thread that is to be cancelled:
 * it may hold a lock of ours, and CUDA's own call would not have ended it. */
static void line_write(const char *line, size_t length)
{
	const struct timespec now = {0, 0};
	int cancel = PTHREAD_CANCEL_ENABLE; /* nobody sets it without threads */
	sigset_t pipe, before, pending;
	bool was_pending;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &before);
	was_pending = sigismember(&before, SIGPIPE) && !sigpending(&pending) &&
		      sigismember(&pending, SIGPIPE);
	if (write(STDERR_FILENO, line, length) < 0 && errno == EPIPE &&
	    !was_pending)
		sigtimedwait(&pipe, NULL, &now);
	sigprocmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(cancel, NULL);
}

void log_through(void (*write_line)(const char *line, size_t length))
{
	through = write_line;
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char *const names[] = {"", "error", "warn", "info",
					    "debug"};
	char line[512];
	int saved = errno, head, tail;
	size_t length;
	va_list args;

	if (!log_shows(level))
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
	if (through)
		through(line, length);
	else
		line_write(line, length);
	errno = saved;
}
