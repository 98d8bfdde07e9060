/* What the commands print. */
#ifndef MNM_OUTPUT_H
#define MNM_OUTPUT_H

#include <stdbool.h>

#include <jansson.h>

/* Prints a line of JSON on stdout. It is in ASCII, as a terminal obeys other
 * characters, too. */
void json_print(const json_t *json);

/* The escape sequence that begins or ends a highlight. Empty if stdout is not a
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

/* Opens the standard streams that are closed, so that no socket becomes one.
 * Writing to them still fails. */
void output_open(void);

/* Ends the output. Returns status, or EXIT_FAILED after a line on stderr if
 * some of it could not be written. */
int output_close(int status);

#endif
