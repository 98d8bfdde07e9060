/* Descriptors for many jobs at once. */
#ifndef MNM_DESCRIPTORS_H
#define MNM_DESCRIPTORS_H

#include <stdbool.h>

/* More than a look at one process takes for a moment. */
enum { DESCRIPTORS_SPARE = 8 };

/* Raises the limit as far as it may be raised: each job keeps one or two. */
void descriptors_raise(void);

/* Whether so many are left that there were enough all the time. */
bool descriptors_suffice(void);

#endif
