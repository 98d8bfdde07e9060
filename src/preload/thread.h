/* Threads, ours and the program's; see loader.h for why not by pthread.h. */
#ifndef MNM_THREAD_H
#define MNM_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct timespec;

/* Of a lock that is held for a few steps: who waits for it spins first. */
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define LOCK_SPINS PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#else
#define LOCK_SPINS PTHREAD_MUTEX_INITIALIZER
#endif

/* What is to be done once, by whichever thread comes first. */
struct once {
	pthread_once_t control;
	_Atomic bool done;
};
#define ONCE_INIT \
	{ \
		PTHREAD_ONCE_INIT, false \
	}

void once_run(struct once *once, void (*run)(void));

/* A value of each thread, of which ended is told when its thread exits. */
struct thread_key {
	pthread_key_t key;
	bool open;
};

void thread_key_open(struct thread_key *key, void (*ended)(void *));
void thread_key_set(const struct thread_key *key, const void *value);

/* Starts a thread that takes none of the program's signals. 0, or why not. */
int thread_start(void *(*run)(void *), void *arg, size_t stack_size,
		 pthread_t *thread);

/* Waits until it has ended, for so long. */
void thread_join(pthread_t thread, int seconds);

/* The calling thread is not joined by anybody. */
void thread_detach(void);

/* As pthread_cond_wait, or until that time where one is given; true: it has
 * come. The thread can't be cancelled in it, which would leave the lock held:
 * that it is, it finds out at its next wait of its own. */
bool thread_await(pthread_cond_t *cond, pthread_mutex_t *lock,
		  const struct timespec *until);

/* Sleeps as long; likewise. */
void thread_nap(long nanoseconds);

/* Whether the caller is the program's main thread. */
bool thread_is_main(void);

/* Whether that one has ended by pthread_exit, while others run. */
bool thread_main_ended(void);

#endif
