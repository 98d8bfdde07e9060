/* Which calls may be on the fast path. A layer that has a reason to close the
 * fast path says here when the reason has come or gone; the fast path then
 * looks at all reasons again. It lies above those layers, so it tells this file
 * what to call. */
#ifndef MNM_GATE_H
#define MNM_GATE_H

struct device;

/* A reason has come or gone for a device, or for all devices (NULL). When this
 * returns, no call is on the fast path that should not be. */
void gate_recompute(const struct device *device);

/* When this returns, all calls that were on the fast path before have left
 * it. */
void gate_pass(void);

/* Says what the two functions above call from now on; before, they do
 * nothing. */
void gate_open_for(void (*recompute)(const struct device *device),
		   void (*pass)(void));

#endif
