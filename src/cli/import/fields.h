/* The fields of a line of CSV. */
#ifndef MNM_IMPORT_FIELDS_H
#define MNM_IMPORT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* Cuts a line at its commas, where it is, and takes quotes off. Returns the
 * number of fields, of which those up to `most` are stored; -1 if a quote has
 * no end. */
int fields_cut(char *line, char **fields, int most);

/* A whole number up to `most`: decimal, or hexadecimal where the base is 16 or
 * the text begins with 0x. */
bool number_field(const char *field, int base, uint64_t most, uint64_t *number);

#endif
