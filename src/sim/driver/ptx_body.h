/* What one thread of a kernel moves, as the PTX of its body shows without being
 * followed: for stand-ins, which choose sizes and values by it. */
#ifndef SIM_PTX_BODY_H
#define SIM_PTX_BODY_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_body {
	size_t loads, stores; /* bytes of all instructions, to global memory */
	size_t element;       /* of the widest store: 1, 2, 4 or 8 */
	bool floats;          /* all stores are .f32, or all are .f64 */
	/* It jumps back or calls: how often an instruction runs is not known.
	 */
	bool repeats;
};

/* Looks at the kernel of that name. False if the text has none. */
bool ptx_body_read(const char *text, const char *name, struct ptx_body *body);

#endif
