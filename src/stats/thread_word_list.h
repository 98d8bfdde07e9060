/* The words of struct thread_stats, one row each: WORD(name, way). A word
 * counts UP, or DOWN to the moment at which its thread has to do something; the
 * ones of live and of idle bytes have a part that is kept apart. Then come the
 * counters that words are part of, one row each: COUNTED(counter, word). A
 * counter has one word at most. */
#ifndef MNM_THREAD_WORD_LIST_H
#define MNM_THREAD_WORD_LIST_H

/* clang-format off */
#define THREAD_WORD_LIST \
WORD(idle, IDLE) \
WORD(live, LIVE) \
WORD(hits, DOWN) \
WORD(freed, UP) \
WORD(frees, UP) \
WORD(reserved, UP) \
WORD(taken, UP) \
WORD(given, UP)

#define THREAD_COUNTER_LIST \
COUNTED(idle_bytes, idle) \
COUNTED(live_bytes, live) \
COUNTED(hits, hits) \
COUNTED(quarantined_bytes, freed) \
COUNTED(frees, frees) \
COUNTED(reserved_bytes, reserved) \
COUNTED(misses, taken) \
COUNTED(driver_allocs, taken) \
COUNTED(driver_frees, given)
/* clang-format on */

#endif
