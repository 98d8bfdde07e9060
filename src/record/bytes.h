/* Bytes that are put together, and read again. A number takes as few bytes as
 * it can: seven bits of it in each, the low ones first, and in the eighth
 * whether more follow. */
#ifndef MNM_RECORD_BYTES_H
#define MNM_RECORD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_MOST = 10 }; /* bytes of a number */

struct bytes {
	uint8_t *at;
	size_t size, room;
	bool lost; /* some, for want of memory */
};

void bytes_put(struct bytes *bytes, const void *from, size_t size);
void bytes_number(struct bytes *bytes, uint64_t number);
/* Differences, which may be negative, as whole numbers near 0. */
void bytes_difference(struct bytes *bytes, uint64_t to, uint64_t from);
void bytes_clear(struct bytes *bytes);
void bytes_release(struct bytes *bytes);

/* What is left to be read; `wrong` once more was asked for than there is. */
struct view {
	const uint8_t *at, *end;
	bool wrong;
};

uint64_t view_number(struct view *view);
uint64_t view_difference(struct view *view, uint64_t from);
/* The next bytes, or NULL. */
const uint8_t *view_take(struct view *view, size_t size);

#endif
