/* Who held memory: the blocks that live at a moment, by the function that had
 * asked for them. */
#ifndef MNM_HOLDERS_H
#define MNM_HOLDERS_H

#include "summary.h"
#include "symbols.h"

enum { HOLDER_NAME_SIZE = 256 };

struct named_holder {
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	uint64_t blocks, bytes;
};

/* The holders of a device's peak with their names, the largest first; those of
 * one function are one. From malloc, or NULL without memory. */
struct named_holder *holders_name(const struct device_summary *device,
				  struct symbols *symbols, size_t *count);

/* Makes those of one function one, the largest first. Returns how many there
 * are then. */
size_t holders_merge(struct named_holder *named, size_t count);

/* The names of what has called from there, or words that say why there are
 * none. */
void site_names(struct symbols *symbols, uint64_t site,
		char file[HOLDER_NAME_SIZE], char function[HOLDER_NAME_SIZE]);

#endif
