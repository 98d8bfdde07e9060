/* What operations touch, noted for the checker when they are queued. */
#ifndef SIM_TOUCH_H
#define SIM_TOUCH_H

#include <stdbool.h>

struct op;

/* Each adds what its kind of operation touches. Returns false when memory
 * is short. */
bool touch_copy(struct op *op);
bool touch_fill(struct op *op);
bool touch_launch(struct op *op);
bool touch_memop(struct op *op);
bool touch_block(struct op *op);

#endif
