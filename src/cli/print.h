/* An answer as aligned text. It may be any process's: what is missing or can't
 * be is a ?, and nothing of it reaches a terminal but printable ASCII. */
#ifndef MNM_PRINT_H
#define MNM_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* The figures that are not zero, and all options but the empty; or all. */
void print_stat(const json_t *answer, bool all_figures);
void print_set(const json_t *answer);

/* A field's text, plain, in `text`; "?" where there is none. */
const char *field_text(const json_t *object, const char *key, char *text,
		       size_t size);

/* A field's number; -1: there is none, or it is negative. */
int64_t field_number(const json_t *object, const char *key);

/* The elements of a field that is an array of at most `most`; 0: it is none. */
size_t field_count(const json_t *object, const char *key, size_t most);

/* As --device takes it: "0", "host"; "?" where it can be none. */
enum { DEVICE_NAME_SIZE = 8 };
const char *field_device(const json_t *object, char name[DEVICE_NAME_SIZE]);

/* What people call the program; see text_title. */
const char *field_title(const json_t *answer, char *text, size_t size);

#endif
