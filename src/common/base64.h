/* Bytes as text, four letters for three of them: RFC 4648, section 4. */
#ifndef MNM_BASE64_H
#define MNM_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* The text of some bytes, from malloc; NULL without memory. */
char *base64_write(const unsigned char *bytes, size_t size);

/* The bytes of a text, from malloc, and how many. Returns false without memory,
 * or if it is no such text. */
bool base64_read(const char *text, unsigned char **bytes, size_t *size);

#endif
