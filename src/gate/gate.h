/* Who may be on the fast path. Those who own a reason why not say that it has
 * come or gone; what keeps the fast path looks at all reasons again. It lies
 * above them, and is told here. */
#ifndef MNM_GATE_H
#define MNM_GATE_H

struct device;

/* A reason has come or gone: when this returns, no call is on the fast path
 * that should not be. NULL: of all devices. */
void gate_recompute(const struct device *device);

/* What was on the fast path before has left it when this returns. */
void gate_pass(void);

/* Both do this from now on; they do nothing before. */
void gate_open_for(void (*recompute)(const struct device *device),
		   void (*pass)(void));

#endif
