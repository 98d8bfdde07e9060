/* What lives, by who or what holds it; and how that was when the most lived in
 * each bucket of time. */
#ifndef MNM_SHARES_H
#define MNM_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "holders.h"

enum {
	SHARES_MOST = 128, /* the last is all others together */
	SHARES_SHOWN = 9,  /* over time; the rest is one */
};

struct share {
	char name[HOLDER_NAME_SIZE], file[HOLDER_NAME_SIZE];
	uint64_t bytes, blocks; /* now */
};

struct shares {
	struct share shares[SHARES_MOST];
	unsigned int count;
	uint64_t (*rows)[SHARES_MOST]; /* bytes */
	size_t row_count, room;
};

/* The number of the share of that name and file, which may be "". */
unsigned int shares_find(struct shares *shares, const char *name,
			 const char *file);

/* Something comes or goes. */
void shares_count(struct shares *shares, unsigned int share, uint64_t bytes,
		  bool comes);

/* Keeps what lives now: in a new row, or in place of the last one. Returns
 * false without memory. */
bool shares_keep(struct shares *shares, bool anew);

/* [{"share", "name", "file", "v": [...]}], a value for each row, the largest
 * first; without those that never held anything. */
json_t *shares_rows(const struct shares *shares);

/* [{"share", "name", "file", "bytes", "blocks"}] of what lives now, the largest
 * first. */
json_t *shares_now(const struct shares *shares);

#endif
