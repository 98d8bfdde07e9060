/* What a thread counts for itself of one device: plain words, which only that
 * thread changes, without an atomic step. Whoever reads adds them up.
 *
 * Each word is a row of THREAD_WORD_LIST: it counts UP, or DOWN to the moment
 * at which its thread has to do something. THREAD_COUNTER_LIST names the
 * counters that a word is part of; each has one word at most. */
#ifndef MNM_THREAD_STATS_H
#define MNM_THREAD_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "context/context.h"
#include "thread_word_list.h"

enum thread_word {
	WORD_none, /* always 0 */
#define WORD(name, way) WORD_##name,
	THREAD_WORD_LIST
#undef WORD
		WORD_MAX
};

/* All words at one moment, of one thread or of several. */
struct thread_words {
	uint64_t of[WORD_MAX];
};

/* A word that counts down: its count is `most` less `left`. */
struct countdown {
	int64_t left;
	int64_t most; /* under the lock of thread_stats.c */
};

/* Words that change at once are no neighbours: gcc would read both by one load,
 * which has to wait until the stores before it have left the processor. */
struct thread_stats {
	struct countdown idle; /* bytes; left: that may still be kept */
	struct countdown live; /* bytes; left: until there is a new maximum */
	struct countdown hits; /* requests; left: until the next sync */
	int64_t freed;         /* bytes of spans, since the process began */
	struct device *device; /* or NULL: it is not counted */
	int64_t frees;
	struct thread_stats *next; /* of all that are counted */
	/* Of pools that keep nothing, see tcache/pass_through.h. */
	int64_t reserved; /* bytes taken from the driver, less those given */
	_Atomic bool reserves; /* there is such a pool now */
	bool alone;            /* under that lock: no other thread shares its
				* context */
	int64_t taken;         /* blocks */
	int64_t given;
	struct thread_words published; /* under that lock: known to others */
};

/* Requests of a thread between two syncs, and of one that is alone. */
enum { LOOK_EVERY = 256, LOOK_ALONE = 4096 };

/* The calling thread's in the context that is current; never NULL. */
extern __thread struct thread_stats *thread_stats_own;

/* Words that one thread changes without an atomic step. */
__attribute__((no_sanitize("thread"))) static inline int64_t figure_add(
	int64_t *figure, uint64_t change)
{
	return *figure = (int64_t)((uint64_t)*figure + change);
}

/* It is counted for the device from now on, from nothing; and no more, while
 * what it has counted stays. */
void thread_stats_open(struct thread_stats *stats, struct device *device);
void thread_stats_close(struct thread_stats *stats);

/* By its own thread, or one that keeps that off the fast path: how many bytes
 * may be idle; whether it is the only thread of its context. */
void thread_stats_room(struct thread_stats *stats, int64_t most);
void thread_stats_alone(struct thread_stats *stats, bool alone);

/* By its own thread: others learn what it has counted, and maxima are raised.
 * The maxima of live_bytes and reserved_bytes are exact for one thread; with
 * several each may miss a sixteenth, 8 MiB at most, and what the others did
 * since they last published: every 256 requests of theirs, about. One that is
 * alone on its device does this every 4,096, and soon once it has company. */
void thread_stats_sync(struct thread_stats *stats);

/* The calling thread counts a request, or a free, and syncs if it is time.
 * False: it counts none of that device. */
bool thread_count_alloc(const struct device *device, size_t size, bool hit);
bool thread_count_free(const struct device *device, size_t size);

/* Sums over all threads, also of those that have ended. */
struct thread_words thread_words_sum(const struct device *device);
uint64_t thread_word_sum(const struct device *device, enum thread_word word);

/* A word of them without a lock or a walk: the calling thread's own is exact,
 * that of others as of when they last published. */
uint64_t thread_word_about(const struct device *device, enum thread_word word);

/* While all threads are kept off the fast path: what they have reserved is
 * claimed and counted by the devices, and no more by them. */
void thread_stats_claim_reserved(void);

#endif
