/* The text of the post-mortem, as it is written: JSON, in a place of its own,
 * as the program may hold the allocator's locks. For the one thread that writes
 * it. */
#ifndef MNM_POSTMORTEM_TEXT_H
#define MNM_POSTMORTEM_TEXT_H

#include <stddef.h>

void postmortem_text_begin(void);

void postmortem_put(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* ,"key":"text", of which the first 1,023 bytes or less are kept; bytes that
 * are no UTF-8 become a ?. */
void postmortem_put_text(const char *key, const char *text);

const char *postmortem_text(size_t *length);

#endif
