/* Threads, ours and the program's. loader.h says why the functions of pthread.h
 * are not called directly. */
#ifndef MNM_THREAD_H
#define MNM_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct timespec;

/* Spin briefly before blocking: such a lock is held only for a few
 * instructions. */
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define LOCK_SPINS PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#else
#define LOCK_SPINS PTHREAD_MUTEX_INITIALIZER
#endif

/* Something that is done once, by whichever thread comes first. */
struct once {
	pthread_once_t control;
	_Atomic bool done;
};
#define ONCE_INIT \
	{ \
		PTHREAD_ONCE_INIT, false \
	}

void once_run(struct once *once, void (*run)(void));

/* A value that each thread has for itself. When a thread exits, ended is called
 * with its value. */
struct thread_key {
	pthread_key_t key;
	bool open;
};

void thread_key_open(struct thread_key *key, void (*ended)(void *));
void thread_key_set(const struct thread_key *key, const void *value);

/* Starts a thread that takes none of the program's signals. Returns 0, or an
 * errno that says why it failed. */
int thread_start(void *(*run)(void *), void *arg, size_t stack_size,
		 pthread_t *thread);

/* Waits until the thread has ended, at most so many seconds. */
void thread_join(pthread_t thread, int seconds);

/* Nobody will join the calling thread. */
void thread_detach(void);

/* Waits as pthread_cond_wait does, but no longer than until that time if it is
 * not NULL. Returns true if the time has come. The thread can't be cancelled in
 * here, as that would leave the lock held: a request to cancel it takes effect
 * at the thread's next wait of its own. */
bool thread_await(pthread_cond_t *cond, pthread_mutex_t *lock,
		  const struct timespec *until);

/* Takes a lock if that is free. Returns whether it has; also false if the
 * process has no libpthread. */
bool thread_trylock(pthread_mutex_t *lock);

/* Sleeps for so long. The thread can't be cancelled meanwhile. */
void thread_nap(long nanoseconds);

/* Whether the caller is the program's main thread. */
bool thread_is_main(void);

/* Whether the main thread has ended by pthread_exit, while others run. */
bool thread_main_ended(void);

#endif
