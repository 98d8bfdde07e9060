/* Calls of CUDA's own entries from a hook of the same symbol. A symbol that
 * this driver lacks can only be reached by a program that could not have been
 * linked with it. */
#ifndef MNM_CALL_H
#define MNM_CALL_H

#include "cuda/real.h"
#include "room_list.h" /* written by gen_work */

#define REAL_ENTRY(entry) (real_driver() ? real_driver()->entry : NULL)

#define REAL_CALL(entry, ...) \
	(REAL_ENTRY(entry) ? real_driver()->entry(__VA_ARGS__) \
			   : CUDA_ERROR_NOT_FOUND)

/* The same, for what may take memory; see room.h. */
#define ROOM_CALL(entry, ...) room_##entry(__VA_ARGS__)

#endif
