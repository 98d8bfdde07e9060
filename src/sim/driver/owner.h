/* Who has which memory, for the checker. Each owner is a generation.
 *
 * A block from the driver has an owner without a label. Once the program says
 * who has a part of the block (check.h), only owners that it named may use the
 * block. A former owner stays here as long as its work is not known to be over.
 * Nothing happens when the checker is off. All calls need the lock. */
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
	unsigned users;      /* queued operations that touch a driver's block */
	struct site begun;   /* where it was given */
	struct site ended;   /* where it was freed; valid once it is not live */
	struct access *last; /* each lane's last access; see access.h */
	unsigned count, room;
	char label[48];
};

/* All owners, former ones too, in no order. */
struct owners {
	struct owner **all;
	unsigned count, room;
};

extern struct owners owners;

/* The owner that may use the byte, or NULL. *memory is the driver's
 * block, or NULL. */
struct owner *owner_find(CUdeviceptr addr, struct owner **memory);
/* The latest owner that had the byte before, or NULL. */
struct owner *owner_former(CUdeviceptr addr);
/* Forgets former owners that can appear in no report any more. */
void owner_sweep(void);

/* The driver has given a block of device or pinned memory. */
void owner_give(CUdeviceptr addr, size_t size);
/* The driver is asked to take the block back: no named owner may have
 * part of it. */
void owner_ask(CUdeviceptr addr);
/* A free of the block is queued: nothing that is queued later may use it. */
void owner_close(CUdeviceptr addr);
/* The block is freed by the host, and stays in its pool: work of its owner must
 * be over, and work of earlier owners need not be. */
void owner_leave(CUdeviceptr addr);
/* The stream has reached the free of a block that stays in its pool. */
void owner_retire(struct owner *memory);
/* The driver has the block back. */
void owner_take(CUdeviceptr addr);

#endif
