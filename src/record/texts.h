/* Texts of the program, such as the names of its ranges, which may go as soon
 * as they were noted: copies of them that stay, one of each. Neither a lock nor
 * the program's memory is needed, so a signal handler may ask for one. */
#ifndef MNM_RECORD_TEXTS_H
#define MNM_RECORD_TEXTS_H

#include <stdbool.h>

enum {
	/* There are as many texts, of as many bytes together. "..." stands for
	 * all that come later. */
	TEXTS_MOST = 1 << 16,
	TEXTS_BYTES = 1 << 22,
	/* Of one, with its end; what is longer is cut off. */
	TEXT_SIZE = 256,
};

/* The copy of "DOMAIN: NAME", or of NAME if domain is NULL. */
const char *record_text(const char *domain, const char *name);

/* Whether it is such a copy. */
bool record_text_is(const void *at);

#endif
