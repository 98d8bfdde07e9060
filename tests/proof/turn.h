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
	sem_t empty; /* posted when the one before has left its place */
	bool passed; /* another thread takes this place */
	enum turn_state state;
	const void *what; /* waited for */
	bool timed, timed_out;
	int ends;            /* rounds of destructors so far */
	unsigned long later; /* not before so many points, if another can */
	unsigned long hold;  /* it is left at its so-manieth point; 0: none */
	bool left;           /* it was */
	unsigned stay; /* goes on at all but one of so many points; 0: all */
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

/* The turn that the calling thread acts for; NULL for an outsider, or when
 * there is no schedule. Makes `real` usable. */
struct turn *turn_actor(void);
/* Where another thread may go on. */
void turn_point(struct turn *turn);
/* It waits in a loop: another one goes on, also one that was left behind. */
void turn_yield(struct turn *turn);

/* What is shared by all turns is changed between these. */
void turns_lock(void);
void turns_unlock(void);
/* Under that lock, which it drops: the caller's state is set, and it goes on
 * once that is READY and the seed says so. */
void turn_give(struct turn *turn);
/* Under that lock. Those that wait for something can run, or one that the
 * seed chooses of them. */
void turns_wake(enum turn_state state, const void *what, bool all);

#endif
