/* Making room: a call of CUDA's is not to fail for want of memory while memory
 * is idle. If it does, idle memory of the devices that it is for goes back, and
 * the call is made again. As much goes back as it asks for, if that is known;
 * if that is not enough, all; and at last pinned memory, if its free waits for
 * no other device. The driver is asked nothing if nothing is idle.
 *
 * The hooks of all entry points that may take memory do this, as
 * src/hooks/gen_work writes them. */
#ifndef MNM_ROOM_H
#define MNM_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For one call that has failed; zeroed but for what is known of it. */
struct room {
	size_t bytes;     /* that it asks for; 0 if not known */
	bool pinned;      /* it asks for pinned memory: that goes back first */
	bool captured;    /* its stream captures */
	bool spoiled;     /* it may have ended a capture: not made again */
	uint64_t devices; /* a bit each; 0 for the current context's */
	uint64_t pressed; /* devices that keep nothing until it is over */
	bool host_pressed;
	unsigned int step; /* the next step */
	bool relaxed;      /* it is made again in a mode that spares captures */
	unsigned int mode; /* that the thread was in before */
};

/* The call is for this device as well. The ordinal may be that of none. */
void room_device(struct room *room, int ordinal);
/* The call is for all devices that are in use. */
void room_everywhere(struct room *room);
/* The call may end any capture that is on. */
void room_captures(struct room *room);

/* The call has returned this CUresult. Returns true if there is more room now,
 * and the call is to be made again. Returns false if it has succeeded, or has
 * failed for good, which is logged. The caller holds no lock. */
bool room_make(struct room *room, int res);

#endif
