/* What the kernel tells of a process: see proc(5). pid 0 is the caller. */
#ifndef MNM_PROCESS_H
#define MNM_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads the beginning of /proc/PID/NAME, and ends it with a NUL. Returns its
 * length, or -1. */
ssize_t process_read(int pid, const char *name, char *text, size_t size);

/* The words it was started with, as many as fit; text holds them. */
enum { PROCESS_WORDS = 64 };
int process_words(int pid, char *text, size_t size,
		  const char *words[PROCESS_WORDS]);

/* When it started, seconds since 1970; 0: unknown. */
int64_t process_start(int pid);

/* Its state, as T for stopped; '?': unknown. */
char process_state(int pid);

#endif
