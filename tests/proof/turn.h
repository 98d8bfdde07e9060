/* The threads that take part in the schedule, and whose turn it is. */
#ifndef TESTS_PROOF_TURN_H
#define TESTS_PROOF_TURN_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

enum turn_state { READY, LOCKING, WAITING, JOINING, ENDED };

struct turn {
	sem_t mine;  /* posted when this thread may go on */
	sem_t empty; /* posted when the thread before has left this place */
	bool passed; /* another thread takes this place */
	enum turn_state state;
	const void *what; /* what the thread waits for */
	bool timed, timed_out;
	int ends;            /* rounds of destructors so far */
	unsigned long later; /* left until then, if another can run */
	unsigned long hold;  /* points until it is left; 0: it is not */
	bool left;           /* that point was reached */
	unsigned stay; /* it goes on at all points but one in so many; 0: all */
};

/* libc's own functions behind ours. */
struct turn_real {
	int (*lock)(pthread_mutex_t *);
	int (*trylock)(pthread_mutex_t *);
	int (*unlock)(pthread_mutex_t *);
	int (*wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*timedwait)(pthread_cond_t *, pthread_mutex_t *,
			 const struct timespec *);
	int (*signal)(pthread_cond_t *);
	int (*broadcast)(pthread_cond_t *);
	int (*once)(pthread_once_t *, void (*)(void));
};

extern struct turn_real real;

/* Returns the turn that the calling thread acts for, or NULL for an outsider,
 * or if there is no schedule. Makes `real` usable. */
struct turn *turn_actor(void);
/* A point: another thread may go on here. */
void turn_point(struct turn *turn);
/* The thread changes what others may wait for. */
void turn_access(const struct turn *turn, const void *what);
/* For a thread that waits in a loop: another thread goes on, even one that was
 * left behind. */
void turn_yield(struct turn *turn);

/* What all turns share is changed only between these two calls. */
void turns_lock(void);
void turns_unlock(void);
/* Under that lock, which it drops. The caller has set its own state, and goes
 * on once that is READY and the seed says so. */
void turn_give(struct turn *turn);
/* Under that lock. Lets all threads that wait for `what` run or, if not `all`,
 * one of them that the seed chooses. */
void turns_wake(enum turn_state state, const void *what, bool all);

#endif
