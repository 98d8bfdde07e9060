/* What a thread counts for itself of one device: plain words that only that
 * thread changes, without an atomic step. A reader adds up the words of all
 * threads.
 *
 * Each word is a row of THREAD_WORD_LIST: it counts UP, or DOWN to the moment
 * at which its thread has to do something. THREAD_COUNTER_LIST names the
 * counters that a word is part of; each counter has one word at most. */
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

/* A word that counts down: its count is `most` minus `left`. */
struct countdown {
	int64_t left;
	int64_t most; /* under the lock of thread_stats.c */
};

/* How many pools of CUDA's mnm serves at a time, and one more. */
enum { MEMPOOLS = 32 };

/* Words that change together are not neighbours: gcc would read both by one
 * load, and that load would wait until the stores before it have left the
 * processor. */
struct thread_stats {
	struct countdown idle; /* bytes; left: how many may still be kept */
	struct countdown live; /* bytes; left: until there is a new maximum */
	struct countdown hits; /* requests; left: until the next sync */
	int64_t freed;         /* bytes of spans, since the process began */
	struct device *device; /* NULL: not counted for any */
	int64_t frees;
	struct thread_stats *next; /* in the list of all that are counted */
	/* Bytes of the pool `mempool`, which `live` and that pool's row do not
	 * have yet; left: until one of both may have a new maximum. See
	 * thread_ordered.h. */
	struct countdown ordered;
	/* For pools that keep nothing, see tcache/pass_through.h. */
	int64_t reserved;      /* bytes taken, minus bytes given back */
	_Atomic bool reserves; /* there is such a pool now */
	bool alone;            /* under that lock: no other thread shares its
				* context */
	bool ordered_asks;     /* under that lock: it has used up what was left,
				* and `live` has not since */
	int64_t taken;         /* blocks */
	int64_t given;
	/* Bytes freed, minus bytes taken, where a plan says (pools/course.h):
	 * what one thread frees another may take. */
	int64_t planned;
	struct thread_words published; /* what others know; under that lock */
	unsigned int mempool;          /* whose `ordered` counts; or 0 */
	/* By pools of CUDA's, see mempool_stats.h: bytes; left: until there is
	 * a new maximum. */
	struct countdown mempools[MEMPOOLS];
};

/* How many requests a thread serves between two syncs, and how many if it is
 * alone. */
enum { LOOK_EVERY = 256, LOOK_ALONE = 4096 };

/* The calling thread's words for its current context; never NULL. */
extern __thread struct thread_stats *thread_stats_own;

/* Adds to a word that only one thread changes, without an atomic step; returns
 * the new value. */
__attribute__((no_sanitize("thread"))) static inline int64_t figure_add(
	int64_t *figure, uint64_t change)
{
	return *figure = (int64_t)((uint64_t)*figure + change);
}

/* The words are counted for the device from now on, and start at 0. After
 * thread_stats_close they are not any more, but what they have counted
 * stays. */
void thread_stats_open(struct thread_stats *stats, struct device *device);
void thread_stats_close(struct thread_stats *stats);

/* Called by the words' own thread, or by one that keeps it off the fast path.
 * They set how many bytes may be idle, and whether the thread is the only one
 * of its context. */
void thread_stats_room(struct thread_stats *stats, int64_t most);
void thread_stats_alone(struct thread_stats *stats, bool alone);

/* Called by the words' own thread: publishes what it has counted, and raises
 * maxima. The maxima of live_bytes and reserved_bytes are exact if there is one
 * thread. With several, each thread may miss a sixteenth of a maximum, 8 MiB at
 * most, and what the others did since they last published, which they do about
 * every 256 requests. A thread that is alone on its device publishes every
 * 4,096 requests, and soon after it has company. */
void thread_stats_sync(struct thread_stats *stats);

/* The calling thread counts a request, or a free, and syncs if it is time.
 * Return false if the thread counts nothing of that device. */
bool thread_count_alloc(const struct device *device, size_t size, bool hit);
bool thread_count_free(const struct device *device, size_t size);

/* Sums over all threads, also over those that have ended. */
struct thread_words thread_words_sum(const struct device *device);
uint64_t thread_word_sum(const struct device *device, enum thread_word word);

/* The sum of a word, without a lock or a walk over threads: the calling
 * thread's own part is exact, that of the others is what they last
 * published. */
uint64_t thread_word_about(const struct device *device, enum thread_word word);

/* Called by the words' own thread. The first: what `ordered` counts from now on
 * is of the pool of CUDA's of that number. The second: so many bytes are left
 * until that pool has a new maximum. */
void thread_stats_turn(struct thread_stats *stats, unsigned int number);
void thread_stats_mempool_room(struct thread_stats *stats, unsigned int number,
			       int64_t room);

/* What all threads, and those that have ended, have counted for a pool of
 * CUDA's; it may be negative. Sets *several if there is more than one
 * thread. */
int64_t thread_stats_mempool(unsigned int number, bool *several);

/* Forgets all that threads which have ended had counted for that pool. */
void thread_stats_mempool_open(unsigned int number);

/* Called while all threads are kept off the fast path: what they have reserved
 * is claimed and counted by the devices from now on, and no longer by them. */
void thread_stats_claim_reserved(void);

#endif
