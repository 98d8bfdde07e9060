/* Who has which memory, for the checker: one owner a generation.
 *
 * What the driver gives has an owner without a label. When the program says
 * who has a part of it (check.h), only owners that it named may use that
 * block. A former owner stays as long as its work is not known to be over.
 * Does nothing when the checker is off. All of it needs the lock. */
#ifndef SIM_OWNER_H
#define SIM_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "site.h"

struct access;

struct owner {
	CUdeviceptr addr, end;
	uint64_t generation;
	bool live;           /* may be used */
	bool named;          /* by the program; else the driver's block */
	bool carved;         /* a driver's block with named parts */
	bool gone;           /* given back to the driver */
	unsigned users;      /* queued operations that hold a driver's block */
	struct site begun;   /* who got it */
	struct site ended;   /* who freed it; valid once it is not live */
	struct access *last; /* each lane's last access; see access.h */
	unsigned count, room;
	char label[48];
};

/* All of them, former ones too, in no order. */
struct owners {
	struct owner **all;
	unsigned count, room;
};

extern struct owners owners;

/* Who may use the byte, or NULL; *memory is the driver's block, or NULL. */
struct owner *owner_find(CUdeviceptr addr, struct owner **memory);
/* The latest that had it before, or NULL. */
struct owner *owner_former(CUdeviceptr addr);
/* Forgets former owners that nothing is to be learnt from. */
void owner_sweep(void);

/* The driver has given a block of device or pinned memory. */
void owner_give(CUdeviceptr addr, size_t size);
/* The driver is asked for it back: nobody may have it. */
void owner_ask(CUdeviceptr addr);
/* A free of it is queued: nothing that is queued from now on may use it. */
void owner_close(CUdeviceptr addr);
/* The driver has it back. */
void owner_take(CUdeviceptr addr);

#endif
