/* What the commands print. */
#ifndef MNM_OUTPUT_H
#define MNM_OUTPUT_H

#include <stdbool.h>

#include <jansson.h>

/* A line of JSON on stdout, in ASCII: a terminal obeys more than that. */
void json_print(const json_t *json);

/* The escape sequence that begins or ends a highlight; empty if stdout is no
 * terminal, or NO_COLOR is set. */
enum highlight {
	HIGHLIGHT_END,
	HIGHLIGHT_HEAD,
	HIGHLIGHT_WARNING,
	HIGHLIGHT_PROBLEM,
};
const char *highlight(enum highlight highlight);

/* Whether stdout is a terminal that knows escape sequences. */
bool output_obeys(void);

/* Opens the standard streams that are closed, so that no socket becomes one;
 * what is written there still fails. */
void output_open(void);

/* Ends the output. Returns status, or EXIT_FAILED after a line on stderr if
 * some of it could not be written. */
int output_close(int status);

#endif
