/* Launches as CUDA 3 made them: the function has the shape of its blocks and
 * its arguments. */
#ifndef SIM_OLD_LAUNCH_H
#define SIM_OLD_LAUNCH_H

struct function;

/* Forgets the arguments of a function that is closed. */
void old_launch_close(struct function *function);

#endif
