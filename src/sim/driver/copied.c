#include "copied.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

static bool on;
static uint64_t bytes, sum; /* atomic */

void copied_open(void)
{
	const char *text = getenv("MNM_SIM_COPIED");

	on = text && *text && strcmp(text, "0");
}

/* FNV-1a. */
static uint64_t hash_row(uint64_t hash, const char *row, size_t width)
{
	for (size_t i = 0; i < width; i++)
		hash = (hash ^ (unsigned char)row[i]) * 0x100000001b3;
	return hash;
}

void copied_add(const struct copy *copy)
{
	uint64_t hash = 0xcbf29ce484222325;

	if (!on || !copy->to_host)
		return;
	for (size_t z = 0; z < copy->depth; z++)
		for (size_t y = 0; y < copy->height; y++)
			hash = hash_row(hash,
					copy->dst + z * copy->dst_slice +
						y * copy->dst_pitch,
					copy->width);
	__atomic_fetch_add(&sum, hash, __ATOMIC_RELAXED);
	__atomic_fetch_add(&bytes, copy->width * copy->height * copy->depth,
			   __ATOMIC_RELAXED);
}

void copied_report(FILE *out)
{
	if (on)
		fprintf(out, "copied %" PRIu64 " %016" PRIx64 "\n",
			__atomic_load_n(&bytes, __ATOMIC_RELAXED),
			__atomic_load_n(&sum, __ATOMIC_RELAXED));
}
