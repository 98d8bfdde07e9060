/* What is in a snapshot of PyTorch's allocator. */
#ifndef MNM_IMPORT_TORCH_H
#define MNM_IMPORT_TORCH_H

#include "import.h"
#include "pickle.h"

enum { TORCH_DEVICES = MNM_RECORD_HOST };

struct place;
struct stack_site;

struct torch {
	struct import *import;
	const struct pickle *pickle;
	struct place *places;
	struct stack_site *stacks;
	const struct pickle_value *traces;
	uint32_t next[TORCH_DEVICES]; /* of each trace */
	bool asked[TORCH_DEVICES];    /* the driver for a segment */
	uint64_t first_us;            /* of all times */
};

/* Each returns NULL, or what is wrong. */

/* Adds the events of a snapshot. */
const char *torch_take(struct import *import, const struct pickle *pickle);

/* The site of a list of frames, the innermost first; 0 without one. */
const char *torch_site(struct torch *torch, const struct pickle_value *frames,
		       uint64_t time, uint64_t *site);
void torch_stacks_release(struct torch *torch);

#endif
