#ifndef MNM_SIM_RUNTIME_MISSING_H
#define MNM_SIM_RUNTIME_MISSING_H

/* The whole of an entry that is not simulated: tells the simulated driver,
 * whose report names it, and returns "not supported", which is also the
 * thread's last error. The name must be a literal. */
int runtime_missing(const char *name);

#endif
