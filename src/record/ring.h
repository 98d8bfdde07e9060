/* What threads note while a record is made, each in a ring of its own, without
 * a lock or an atomic step that others would meet. One other thread reads all
 * rings. A thread never waits: what has no room is dropped, and counted. */
#ifndef MNM_RECORD_RING_H
#define MNM_RECORD_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "mnm/record.h"

enum {
	/* Notes of a thread's first ring, up to 160 KB, and of the one that it
	 * gets once that is full, 10 MB; how many of the latter there may be.
	 */
	RING_SMALL = 1 << 12,
	RING_LARGE = 1 << 18,
	RINGS_LARGE = 16,
	RINGS_MOST = 1024, /* of both sizes: 160 MB of addresses and more */
	/* What a thread can note before something is read. */
	RING_NOTES = RING_SMALL + RING_LARGE,
};

/* An event, packed. Numbers of 48 bits have the others above them. */
struct record_note {
	uint64_t time; /* in ticks */
	uint64_t address;
	uint64_t size; /* | kind << 48 | flags << 56; of a kind with a text but
			* no size: the address of that, which has to stay */
	uint64_t span; /* | device << 48 | pool << 56 */
	uint64_t site; /* | stream << 48 */
};

struct record_ring {
	_Atomic uint64_t head;    /* notes that were made; by its thread */
	uint64_t limit;           /* its thread knows of room up to there */
	_Atomic uint64_t dropped; /* by its thread */
	uint32_t thread;
	uint32_t size; /* of notes; a power of two */
	bool ended;    /* its thread makes no more; under the rings' lock */
	struct record_ring *next;
	_Atomic uint64_t tail __attribute__((aligned(64))); /* by the reader */
	uint64_t told;  /* of `dropped`, by the reader */
	bool populated; /* by the reader: its pages are there */
	struct record_note notes[];
};

/* Whether a record is made. To be asked before anything else here is called. */
extern _Atomic bool record_on;
/* The same, and true until that is known. */
extern _Atomic bool record_wants_sites;
/* The calling thread's ring, or NULL. */
extern __thread struct record_ring *record_ring_own;

static inline bool record_is_on(void)
{
	return __builtin_expect(
		atomic_load_explicit(&record_on, memory_order_relaxed), 0);
}

static inline bool record_may_be_on(void)
{
	return __builtin_expect(
		atomic_load_explicit(&record_wants_sites, memory_order_relaxed),
		0);
}

void record_switch(bool on);

/* The address of the code that has called an entry point, for the note of that
 * call, or its stack (SITE_STACKED); 0: it is not known. */
extern __thread uint64_t record_site;

/* What the calling thread has done for the request that it is about:
 * MNM_RECORD_DRIVER and MNM_RECORD_FENCE. */
extern __thread unsigned int record_did;

/* When a request or a free began that may take long, in ticks; 0: none has. */
extern __thread uint64_t record_began;

/* A request begins, or a free that the driver is to make. What came before,
 * such as memory that went back with a free, was not for it. */
static inline void record_did_begin(void)
{
	if (!record_is_on())
		return;
	record_did = 0;
	record_began = record_clock();
}

/* It has ended and is noted. Notes how long it took, if that was long. */
void record_took_note(void);

static inline void record_took(void)
{
	if (record_is_on())
		record_took_note();
}

static inline void record_did_add(unsigned int flag)
{
	if (record_is_on())
		record_did |= flag;
}

static inline unsigned int record_did_take(void)
{
	unsigned int did = record_did;

	record_did = 0;
	return did;
}

/* Makes the calling thread's ring, or returns NULL without memory. */
struct record_ring *record_ring_make(void);
/* The thread's ring, which is full, if there is room after all, or a larger
 * one. NULL if neither is: then a note is dropped, which it counts. */
struct record_ring *record_ring_room(struct record_ring *ring);

/* What has more bits, as a request that no device has room for, is as much as
 * fits. */
static inline uint64_t record_low(uint64_t number)
{
	const uint64_t most = (UINT64_C(1) << 48) - 1;

	return number < most ? number : most;
}

/* In place of the address of the code that has called: the number of its stack
 * (stacks.h) with this bit. */
#define SITE_STACKED (UINT64_C(1) << 63)

/* While the calling thread makes a note. A signal handler may begin a range
 * meanwhile, which is dropped then (noted_range). */
extern __thread volatile bool record_noting;

static inline void record_note_in(struct record_ring *ring, uint64_t address,
				  uint64_t size, uint64_t span, uint64_t site)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	struct record_note *note = &ring->notes[head & (ring->size - 1)];

	note->time = record_clock();
	note->address = address;
	note->size = size;
	note->span = span;
	note->site = site;
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* The thread's ring with room for a note, or NULL. */
static inline struct record_ring *record_ring_ready(void)
{
	struct record_ring *ring = record_ring_own;

	if (!ring && !(ring = record_ring_make()))
		return NULL;
	return __builtin_expect(atomic_load_explicit(&ring->head,
						     memory_order_relaxed) ==
					ring->limit,
				0)
		       ? record_ring_room(ring)
		       : ring;
}

/* What is to be noted: times and threads are added. */
static inline void record_note(enum mnm_record_kind kind, unsigned int flags,
			       uint64_t address, uint64_t size, uint64_t span,
			       unsigned int device, unsigned int pool,
			       unsigned int stream, uint64_t site)
{
	struct record_ring *ring;

	if (site & SITE_STACKED) {
		flags |= MNM_RECORD_STACKED;
		site &= ~SITE_STACKED;
	}
	record_noting = true;
	atomic_signal_fence(memory_order_seq_cst);
	ring = record_ring_ready();
	if (ring)
		record_note_in(ring, address,
			       record_low(size) | (uint64_t)kind << 48 |
				       (uint64_t)flags << 56,
			       record_low(span) | (uint64_t)device << 48 |
				       (uint64_t)pool << 56,
			       record_low(site) |
				       (uint64_t)(stream < UINT16_MAX
							  ? stream
							  : UINT16_MAX)
					       << 48);
	atomic_signal_fence(memory_order_seq_cst);
	record_noting = false;
}

/* For the reader, one thread at a time. */
void record_rings_open(void);

/* What takes so many ticks is noted to have taken long. */
void record_slow_set(uint64_t ticks);

/* Takes the notes of all rings that are older than `until`, in the order of
 * their times, up to `most`. Returns how many. *dropped grows by those that
 * were dropped since the last call. */
size_t record_rings_take(uint64_t until, struct mnm_record_event *events,
			 size_t most, uint64_t *dropped);

/* Forgets all notes. */
void record_rings_clear(void);

/* In a forked child: forgets the rings themselves, which stay the parent's. */
void record_rings_forget(void);

#endif
