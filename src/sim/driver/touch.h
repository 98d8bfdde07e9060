/* What operations touch, said once when they are queued; for the checker. */
#ifndef SIM_TOUCH_H
#define SIM_TOUCH_H

#include <stdbool.h>

struct op;

/* Each adds what its kind of operation touches. False: memory is short. */
bool touch_copy(struct op *op);
bool touch_fill(struct op *op);
bool touch_launch(struct op *op);
bool touch_block(struct op *op);

#endif
