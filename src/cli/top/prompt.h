/* A line that is typed. */
#ifndef MNM_PROMPT_H
#define MNM_PROMPT_H

#include <limits.h>
#include <stdbool.h>
#include <wchar.h>

struct top;

enum { PROMPT_SIZE = 1024 };

struct prompt {
	char label[64];
	wchar_t text[PROMPT_SIZE]; /* ends with 0 */
	/* Called with the text as it is in the locale: after each change, and
	 * when it is complete. Either may be NULL. */
	void (*changed)(struct top *top, const char *text);
	void (*done)(struct top *top, const char *text);
};

/* Begins with a text that may be changed. */
void prompt_begin(struct prompt *prompt, const char *label, const char *text);

/* Adds a character, if it can be shown. */
void prompt_add(struct prompt *prompt, wchar_t character);

/* Takes away the last character, or all. */
void prompt_rub_out(struct prompt *prompt, bool all);

/* The text in the locale's bytes; what these have not is left out. */
enum { PROMPT_BYTES = PROMPT_SIZE * MB_LEN_MAX };
char *prompt_bytes(const struct prompt *prompt, char bytes[PROMPT_BYTES]);

#endif
