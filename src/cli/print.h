/* Answers as aligned text. An answer may be any process's: what is missing or
 * impossible becomes a ?, and only its printable ASCII reaches a terminal. */
#ifndef MNM_PRINT_H
#define MNM_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* Prints the figures that are not zero, and the options that are neither empty
 * nor 0; or all of both. */
void print_stat(const json_t *answer, bool all_figures);
void print_set(const json_t *answer);

/* A field's text, made plain, in `text`; "?" if there is none. */
const char *field_text(const json_t *object, const char *key, char *text,
		       size_t size);

/* A field's number; -1 if there is none, or it is negative. */
int64_t field_number(const json_t *object, const char *key);

/* The number of elements of a field that is an array, but at most `most`; 0 if
 * it is not an array. */
size_t field_count(const json_t *object, const char *key, size_t most);

/* The device as --device takes it: "0", "host"; "?" if it is none. */
enum { DEVICE_NAME_SIZE = 8 };
const char *field_device(const json_t *object, char name[DEVICE_NAME_SIZE]);

/* What is live on a device, by its figures. Memory that no pool serves is live
 * as well, also what is borrowed of the host's; older libraries know nothing of
 * that. Returns -1 if a figure is missing or impossible. */
int64_t field_live(const json_t *device);

/* What people call the program; see text_title. */
const char *field_title(const json_t *answer, char *text, size_t size);

#endif
