/* A program that is run for its output. */
#ifndef MNM_CHILD_H
#define MNM_CHILD_H

#include <stdbool.h>

struct child {
	int status; /* as waitpid sets it */
	bool late;  /* it did not end in time, and was killed */
	char *text; /* what it wrote on stdout and stderr; to be freed */
};

/* Runs argv[0] (a path) with a variable set to value, or left as it is if value
 * is NULL. Returns false, with errno set, if it could not be started. */
bool child_run(struct child *child, char *const argv[], const char *variable,
	       const char *value, int limit_ms);

/* The rest of the first line of text that starts with the words, or NULL. To be
 * freed. */
char *line_find(const char *text, const char *words);

#endif
