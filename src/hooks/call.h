/* Calls CUDA's own entries from a hook of the same symbol. If the driver lacks
 * a symbol, the call returns CUDA_ERROR_NOT_FOUND: only a program that could
 * not have been linked with that driver gets there. */
#ifndef MNM_CALL_H
#define MNM_CALL_H

#include "cuda/real.h"
#include "room_list.h" /* written by gen_work */

#define REAL_ENTRY(entry) (real_driver() ? real_driver()->entry : NULL)

#define REAL_CALL(entry, ...) \
	(REAL_ENTRY(entry) ? real_driver()->entry(__VA_ARGS__) \
			   : CUDA_ERROR_NOT_FOUND)

/* The same for an entry that may take memory; see mem/room.h. */
#define ROOM_CALL(entry, ...) room_##entry(__VA_ARGS__)

#endif
