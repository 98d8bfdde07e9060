#include "ring.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/serving.h"
#include "preload/thread.h"

enum { SPARE = 16 }; /* rings that are kept for threads to come */

_Atomic bool record_on;
_Atomic bool record_wants_sites = true;
__thread struct record_ring *record_ring_own;
__thread uint64_t record_site;
__thread unsigned int record_did;
__thread volatile bool record_noting;
__thread uint64_t record_began;

static _Atomic uint64_t slow = UINT64_MAX;

/* All rings, also those whose thread has ended. */
static pthread_mutex_t lock = LOCK_SPINS;
static struct record_ring *rings;
static struct thread_key key;
static unsigned int count, large; /* of all, and of the large ones */
static _Atomic uint64_t ringless; /* notes that were dropped without a ring */

void record_switch(bool on)
{
	atomic_store(&record_on, on);
	atomic_store(&record_wants_sites, on);
}

static void thread_ended(void *value)
{
	struct record_ring *ring = value;

	record_ring_own = NULL;
	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	record_noting = true; /* a signal handler is not to ask for a ring */
	pthread_mutex_lock(&lock);
	ring->ended = true;
	pthread_mutex_unlock(&lock);
	record_noting = false;
}

/* A ring of that size which no thread has, and whose notes were read. */
static struct record_ring *ring_find(uint32_t size)
{
	struct record_ring *ring = rings;

	while (ring && !(ring->size == size && ring->ended &&
			 atomic_load(&ring->head) == atomic_load(&ring->tail)))
		ring = ring->next;
	return ring;
}

static size_t ring_bytes(uint32_t size)
{
	return sizeof(struct record_ring) + size * sizeof(struct record_note);
}

/* Its pages are touched as they are used, so that many short threads take
 * little; those of a large one by the reader (ring_populate). */
static struct record_ring *ring_new(uint32_t size)
{
	struct record_ring *ring;

	if (count == RINGS_MOST || (size == RING_LARGE && large == RINGS_LARGE))
		return NULL;
	ring = mmap(NULL, ring_bytes(size), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		return NULL;
	count++;
	large += size == RING_LARGE;
	ring->size = size;
	ring->limit = size;
	ring->next = rings;
	rings = ring;
	return ring;
}

/* Under lock. */
static struct record_ring *ring_begin(uint32_t size)
{
	struct record_ring *ring = key.open ? ring_find(size) : NULL;

	if (!ring && key.open)
		ring = ring_new(size);
	if (ring) {
		ring->ended = false;
		ring->thread = (uint32_t)syscall(SYS_gettid);
	}
	return ring;
}

struct record_ring *record_ring_make(void)
{
	struct record_ring *ring;

	pthread_mutex_lock(&lock);
	ring = ring_begin(RING_SMALL);
	pthread_mutex_unlock(&lock);
	if (ring)
		thread_key_set(&key, ring);
	else
		atomic_fetch_add(&ringless, 1);
	record_ring_own = ring;
	return ring;
}

/* What is in the small one is older, so it is read first. */
static struct record_ring *ring_grow(struct record_ring *small)
{
	struct record_ring *ring = NULL;

	if (small->size == RING_LARGE)
		return NULL;
	pthread_mutex_lock(&lock);
	ring = ring_begin(RING_LARGE);
	if (ring)
		small->ended = true;
	pthread_mutex_unlock(&lock);
	if (!ring)
		return NULL;
	thread_key_set(&key, ring);
	record_ring_own = ring;
	return ring;
}

static void drop(struct record_ring *ring)
{
	atomic_store_explicit(
		&ring->dropped,
		atomic_load_explicit(&ring->dropped, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* A large one that was another thread's has room up to where it was read. */
static bool has_room(struct record_ring *ring)
{
	ring->limit = atomic_load_explicit(&ring->tail, memory_order_acquire) +
		      ring->size;
	return atomic_load_explicit(&ring->head, memory_order_relaxed) !=
	       ring->limit;
}

struct record_ring *record_ring_room(struct record_ring *ring)
{
	struct record_ring *larger;

	if (has_room(ring))
		return ring;
	larger = ring_grow(ring);
	if (larger && has_room(larger))
		return larger;
	drop(record_ring_own);
	return NULL;
}

void record_slow_set(uint64_t ticks)
{
	atomic_store_explicit(&slow, ticks, memory_order_relaxed);
}

void record_took_note(void)
{
	uint64_t began = record_began, ticks = record_clock() - began;

	record_began = 0;
	if (began && ticks >= atomic_load_explicit(&slow, memory_order_relaxed))
		record_note(MNM_RECORD_TOOK, 0, 0, ticks, 0, MNM_RECORD_NOWHERE,
			    0, 0, 0);
}

void record_rings_open(void)
{
	pthread_mutex_lock(&lock);
	if (!key.open)
		thread_key_open(&key, thread_ended);
	pthread_mutex_unlock(&lock);
}

static void note_read(const struct record_ring *ring, uint64_t at,
		      struct mnm_record_event *event)
{
	const uint64_t low = (UINT64_C(1) << 48) - 1;
	const struct record_note *note = &ring->notes[at & (ring->size - 1)];

	*event = (struct mnm_record_event){
		.time = note->time,
		.address = note->address,
		.size = note->size & low,
		.span = note->span & low,
		.site = note->site & low,
		.thread = ring->thread,
		.stream = note->site >> 48,
		.kind = (uint8_t)(note->size >> 48),
		.flags = (uint8_t)(note->size >> 56),
		.device = (uint8_t)(note->span >> 48),
		.pool = (uint8_t)(note->span >> 56),
	};
	if (event->kind == MNM_RECORD_SWAP || event->kind == MNM_RECORD_PUSH ||
	    event->kind == MNM_RECORD_START ||
	    event->kind == MNM_RECORD_POINT) {
		event->text = (const char *)(uintptr_t)event->size;
		event->size = 0;
	}
}

/* The time of the next note of a ring; `until` if there is none before. */
static uint64_t next_time(const struct record_ring *ring, uint64_t until)
{
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	uint64_t time;

	if (atomic_load_explicit(&ring->head, memory_order_acquire) == tail)
		return until;
	time = ring->notes[tail & (ring->size - 1)].time;
	return time < until ? time : until;
}

/* The ring with the oldest note, or NULL. *until becomes the time of the oldest
 * note of all others. */
static struct record_ring *ring_oldest(struct record_ring *first,
				       uint64_t *until)
{
	struct record_ring *oldest = NULL;
	uint64_t least = *until;

	for (struct record_ring *ring = first; ring; ring = ring->next) {
		uint64_t time = next_time(ring, *until);

		if (time < least) {
			*until = least;
			least = time;
			oldest = ring;
		} else if (time < *until) {
			*until = time;
		}
	}
	return oldest;
}

/* Takes notes of a ring that are not younger than `until`: the next one in any
 * case. */
static size_t ring_take(struct record_ring *ring, uint64_t until,
			struct mnm_record_event *events, size_t most)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	size_t taken = 0;

	while (taken < most && tail != head &&
	       (!taken || ring->notes[tail & (ring->size - 1)].time <= until))
		note_read(ring, tail++, &events[taken++]);
	atomic_store_explicit(&ring->tail, tail, memory_order_release);
	return taken;
}

/* So that the thread need not meet a page of a new ring that is not there. On
 * an older kernel than 5.14 it does. */
static void ring_populate(struct record_ring *ring)
{
#ifdef MADV_POPULATE_WRITE
	if (!ring->populated && ring->size == RING_LARGE)
		madvise(ring, ring_bytes(ring->size), MADV_POPULATE_WRITE);
#endif
	ring->populated = true;
}

static struct record_ring *rings_first(void)
{
	struct record_ring *first;

	pthread_mutex_lock(&lock);
	first = rings;
	pthread_mutex_unlock(&lock);
	return first;
}

static uint64_t dropped_take(struct record_ring *ring)
{
	uint64_t dropped =
		atomic_load_explicit(&ring->dropped, memory_order_relaxed);
	uint64_t more = dropped - ring->told;

	ring->told = dropped;
	return more;
}

/* Gives rings back that no thread has, but for some. */
static void rings_spare(void)
{
	unsigned int spare = 0;

	pthread_mutex_lock(&lock);
	for (struct record_ring **link = &rings, *ring; (ring = *link);) {
		bool idle = ring->ended && atomic_load(&ring->head) ==
						   atomic_load(&ring->tail);

		if (!idle || ++spare <= SPARE || ring->told != ring->dropped) {
			link = &ring->next;
			continue;
		}
		*link = ring->next;
		count--;
		large -= ring->size == RING_LARGE;
		munmap(ring, ring_bytes(ring->size));
	}
	pthread_mutex_unlock(&lock);
}

size_t record_rings_take(uint64_t until, struct mnm_record_event *events,
			 size_t most, uint64_t *dropped)
{
	struct record_ring *first = rings_first(), *ring;
	size_t taken = 0;

	while (taken < most) {
		uint64_t others = until;

		ring = ring_oldest(first, &others);
		if (!ring)
			break;
		taken += ring_take(ring, others, events + taken, most - taken);
	}
	for (ring = first; ring; ring = ring->next) {
		*dropped += dropped_take(ring);
		ring_populate(ring);
	}
	*dropped += atomic_exchange(&ringless, 0);
	rings_spare();
	return taken;
}

void record_rings_clear(void)
{
	for (struct record_ring *ring = rings_first(); ring;
	     ring = ring->next) {
		atomic_store(&ring->tail, atomic_load(&ring->head));
		dropped_take(ring);
	}
}

void record_rings_forget(void)
{
	/* A thread that is not here may have held it. */
	lock = (pthread_mutex_t)LOCK_SPINS;
	rings = NULL;
	count = large = 0;
	record_ring_own = NULL;
}
