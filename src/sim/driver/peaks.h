/* A number for each slot, and a search for the lowest slot whose number is
 * large enough. */
#ifndef SIM_PEAKS_H
#define SIM_PEAKS_H

#include <stddef.h>
#include <stdint.h>

struct peaks {
	uint32_t *tree; /* [leaves + i] is slot i's; a parent has the maximum */
	uint32_t leaves; /* a power of two */
};

enum { PEAKS_NONE = UINT32_MAX };

/* Bytes of zeroed memory that peaks_init() needs. */
size_t peaks_bytes(uint32_t slots);
void peaks_init(struct peaks *peaks, uint32_t slots, void *zeroed);
void peaks_set(struct peaks *peaks, uint32_t slot, uint32_t number);
uint32_t peaks_get(const struct peaks *peaks, uint32_t slot);
uint32_t peaks_highest(const struct peaks *peaks);
/* The lowest slot with a number >= least (>= 1), or PEAKS_NONE. */
uint32_t peaks_first(const struct peaks *peaks, uint32_t least);

#endif
