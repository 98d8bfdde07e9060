#ifndef SIM_FILL_H
#define SIM_FILL_H

#include <stdint.h>

#include <cuda.h>

#include "op.h"

/* Checks a fill of one byte or more; makes its operation and sets its time. */
CUresult fill_op(struct fill fill, struct op **op, uint64_t *ns);

#endif
