/* Host functions in streams. */
#ifndef SIM_CALLBACK_H
#define SIM_CALLBACK_H

#include "op.h"

/* NULL when memory is short. */
struct op *callback_op(struct callback callback);

#endif
