/* Memory that is idle is no reason for a call of CUDA's to fail: where one is
 * out of memory, what lies idle on the devices that it is for goes back, and
 * it is made again; at first as much as it asks for, if that is known, then
 * all, and at last pinned memory, where its free waits for no other device.
 * Nothing is asked of the driver where nothing is idle.
 *
 * Hooks of all entries that may take memory do this, by gen_work. */
#ifndef MNM_ROOM_H
#define MNM_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For one call that has failed; zeroed but for what is known of it. */
struct room {
	size_t bytes;     /* that it asks for; 0: not known */
	bool pinned;      /* of the host's memory: what is pinned goes first */
	bool captured;    /* it was for a capture: it is not made again */
	uint64_t devices; /* that it is for, a bit each; 0: the current
			     context's */
	uint64_t pressed; /* devices that keep nothing until it is over */
	bool host_pressed;
	unsigned int step; /* of what can be done, the next */
	bool relaxed;      /* it is made again in a mode for captures */
	unsigned int mode; /* that it was in before */
};

/* Of an ordinal that may be none. */
void room_device(struct room *room, int ordinal);
/* All that are in use. */
void room_everywhere(struct room *room);
/* It may end any capture that is on. */
void room_captures(struct room *room);

/* The call has returned this CUresult. True: there is more room now, and it is
 * to be made again. False: that was the last word, as it succeeded, or failed
 * for good, which is said. No lock may be held. */
bool room_make(struct room *room, int res);

#endif
