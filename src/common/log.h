/* Lines on stderr for people. Nothing goes to stdout, and no line ends the
 * program.
 *
 * error: the call fails; warn: we go on, degraded; info: once per process or
 * command; debug: per request and free, which then bypass the fast path. The
 * level comes from MNM_LOG. */
#ifndef MNM_LOG_H
#define MNM_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_NONE, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_level_set(enum log_level level);
bool log_shows(enum log_level level);

/* From now on the calling thread's lines go through `write_line` instead of to
 * its own descriptor 2. For a thread that has none of the program's
 * descriptors. */
void log_through(void (*write_line)(const char *line, size_t length));

void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

#endif
