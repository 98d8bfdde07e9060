/* The physical pages of a region of virtual memory, and where each is mapped.
 *
 * The region is a range of addresses, cut into slots of a page each. It grows
 * at its end: slots there get fresh pages, or pages that move there from other
 * slots. A page that has moved stays mapped at its former slots as well, where
 * work may still use it, until it goes back to the driver, or there are many of
 * these mappings. No block lies in a former slot. So memory is never unmapped
 * under work that may use it: what may use a page has been waited for when it
 * goes back (region_driver.h), or when its former mappings end.
 *
 * Whoever has free bytes of a pool in hand (pool->view.ops->part), or slots
 * that were claimed, is the only one to change these slots. So these functions
 * take no lock, but for what is said. */
#ifndef MNM_PAGES_H
#define MNM_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0: there is none. */
struct slot {
	_Atomic uint64_t page; /* the driver's handle */
	uint32_t older; /* the slot where the page was before, and one more */
	uint64_t epoch; /* in which it was freed there last */
	_Atomic bool left; /* no block is there: it is not mapped yet, or the
			      driver has refused to undo it */
};

struct pages {
	uint64_t base;
	uint32_t count; /* of slots */
	int ordinal;    /* of the device */
	/* Under the context's lock: slots that were claimed so far, and those
	 * that have pages. */
	_Atomic uint32_t claimed;
	uint32_t used;
	_Atomic uint32_t former; /* mappings at former slots */
	bool ends;     /* once no slot has a page, and nobody looks at it */
	uint32_t eyes; /* threads that do, or let it grow; and a record */
	struct slot *slots;
	struct pages *next; /* that are lost */
};

/* Reserves addresses for that many bytes on a device. NULL if the driver or the
 * host lacks what that takes. */
struct pages *pages_open(int ordinal, size_t bytes);

/* Ends it: gives back every page that is left, and the addresses. No work uses
 * them any more. If the driver refuses that for now, they are lost as below. */
void pages_close(struct pages *pages);

/* The context of the pages has ended: they are closed by the next pages_reap
 * that can wait for what other contexts do there, with no lock held. */
void pages_lose(struct pages *pages);
void pages_reap(void);

/* Where the pages of some slots are to be mapped, or were: both in whole
 * pages. */
struct stretch {
	uint64_t addr;
	size_t bytes;
	uint64_t epoch; /* of pages that move: in which they were freed */
};

/* Maps pages one behind the other at `to`, whose slots were claimed: first
 * those of the `moved` stretches, then fresh ones. Returns a CUresult. If that
 * is not 0, what was moved is where it was, and nothing is mapped at `to`, but
 * for what the driver refuses to unmap (pages_are_none). */
int pages_map(struct pages *pages, const struct stretch *to,
	      const struct stretch *moved, size_t count, uint64_t devices);

/* The pages of these slots are mapped there only from now on, where no work
 * uses a former slot: what was freed in epochs below `over`. */
void pages_settle(struct pages *pages, const struct stretch *stretch,
		  uint64_t over);

/* Whether none of these slots has a page. */
bool pages_are_none(const struct pages *pages, const struct stretch *stretch);

/* Whether blocks may be at the address, as there is a page for them. */
bool pages_serve_at(const struct pages *pages, uint64_t addr);

/* Gives the pages of these slots back to the driver. If it refuses that for now
 * (backing_is_refused), this is to be called again. */
int pages_give(struct pages *pages, const struct stretch *stretch);

/* Lets more devices use all that is mapped. What other threads map or unmap
 * meanwhile may be missed. Returns a CUresult. */
int pages_allow(const struct pages *pages, uint64_t devices);

#endif
