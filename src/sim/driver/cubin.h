/* The parameters of a kernel that has no PTX, as cuobjdump shows them. */
#ifndef SIM_CUBIN_H
#define SIM_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

struct image;

enum { CUBIN_PARAMS_MOST = 512 };

struct cubin_params {
	size_t count, bytes; /* of all parameters in a buffer */
	size_t sizes[CUBIN_PARAMS_MOST], places[CUBIN_PARAMS_MOST];
};

/* Returns false if they cannot be known. */
bool cubin_params(struct image *image, const char *name,
		  struct cubin_params *params);

#endif
