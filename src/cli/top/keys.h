/* The keys of `mnm top`. */
#ifndef MNM_KEYS_H
#define MNM_KEYS_H

#include <stdbool.h>
#include <wchar.h>

struct top;

enum { KEY_CODES = 4 };

struct key_row {
	const char *keys;  /* as they are called */
	const char *label; /* for the last line of the screen, or NULL */
	const char *help;
	int codes[KEY_CODES]; /* as curses has them; ends with 0 */
	void (*act)(struct top *top);
};

/* What can be done, a row each; the last has no keys. */
extern const struct key_row key_rows[];

/* Does what a key means now. The number is one of curses' own if code is set,
 * and else a character. */
void key_take(struct top *top, wint_t number, bool code);

#endif
