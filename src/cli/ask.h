/* Questions to running programs, over their control sockets. */
#ifndef MNM_ASK_H
#define MNM_ASK_H

#include <stdbool.h>

#include <jansson.h>

/* The text that the program answers to a request line, to be freed. NULL:
 * *why says what went wrong, or is NULL where nobody listens any more. */
char *ask_text(int pid, const char *request, const char **why);

/* As ask_text, for a request with --json; one that is refused, or an answer
 * that is no JSON, is printed on stderr and yields NULL. */
json_t *ask_json(int pid, const char *request);

/* Pids of all programs that have a socket, in rising order, to be freed; a
 * stale socket is removed. Returns their number, or -1 after a line on
 * stderr. */
int ask_list(int **pids);

/* The name of the device that an object of an answer is about, as --device
 * takes it. */
enum { DEVICE_NAME_SIZE = 16 };
void device_name(const json_t *object, char name[DEVICE_NAME_SIZE]);

#endif
