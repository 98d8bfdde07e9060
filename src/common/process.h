/* What the kernel tells about a process: see proc(5). pid 0 is the caller. */
#ifndef MNM_PROCESS_H
#define MNM_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads the beginning of /proc/PID/NAME, and ends it with a NUL. Returns its
 * length, or -1 on an error. */
ssize_t process_read(int pid, const char *name, char *text, size_t size);

/* The words that the process was started with, as many as fit. Returns their
 * number; they lie in text. */
enum { PROCESS_WORDS = 64 };
int process_words(int pid, char *text, size_t size,
		  const char *words[PROCESS_WORDS]);

/* When the process started, in seconds since 1970; 0 if that is unknown. */
int64_t process_start(int pid);

/* The state of the process, for example T for stopped; '?' if that is
 * unknown. */
char process_state(int pid);

#endif
