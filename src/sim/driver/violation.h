/* Reports of what the checker has found, on stderr and with both sides. */
#ifndef SIM_VIOLATION_H
#define SIM_VIOLATION_H

#include <cuda.h>

#include "site.h"

struct owner;

struct side {
	const struct site *site;
	const struct owner *owner; /* or NULL */
	CUdeviceptr addr, end;     /* what it touches */
};

/* `before` is NULL where there is only one side. */
void violation_report(const char *what, const struct side *now,
		      const struct side *before);
unsigned long violation_count(void);

#endif
