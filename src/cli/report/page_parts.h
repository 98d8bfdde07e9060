/* The page, but for the figures. */
#ifndef MNM_PAGE_PARTS_H
#define MNM_PAGE_PARTS_H

#include <stdint.h>

/* What comes before the figures, compressed by zstd in several frames; and what
 * comes after them. */
extern const unsigned char page_begin[];
extern const uint64_t page_begin_size;
extern const char page_rest[];

#endif
