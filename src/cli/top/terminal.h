/* The terminal of `mnm top`, while ncurses has it. */
#ifndef MNM_TERMINAL_H
#define MNM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the terminal, until terminal_close or the end of the process. What is
 * printed on stderr meanwhile is kept for terminal_said. If there is no
 * terminal that can be used, prints so and returns false. */
bool terminal_open(void);

/* Leaves the terminal as it was. */
void terminal_close(void);

/* Waits for a key, for something to read from fd, for a signal, or for so many
 * milliseconds. Returns false if the terminal has gone, or a signal says that
 * the process is to end. */
bool terminal_wait(int fd, int64_t ms);

/* The last line that was printed on stderr since it was asked for, plain and
 * without the name of the program; "" if there is none. Returns text. */
char *terminal_said(char *text, size_t size);

#endif
