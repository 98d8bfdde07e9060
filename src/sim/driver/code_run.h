#ifndef SIM_CODE_RUN_H
#define SIM_CODE_RUN_H

struct op;

/* Runs a launch of a kernel that is not a host function. If that fails, a line
 * on stderr says why, and the device is lost. The lock is not held. */
void code_run(struct op *op);

#endif
