#include "schedule.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "random.h"
#include "turn.h"
#include "ways.h"

enum { SILENCE_SECONDS = 20 }; /* then it is a deadlock, if no thread can run */
#define HELD (ULONG_MAX / 2)   /* later than any point */

enum { PARK_ONE_IN = 4 }; /* one switch in so many */

static const char *const state_names[] = {"can run", "waits for mutex",
					  "waits for condition",
					  "waits for the end of", "has ended"};

struct turn_real real;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
/* Under guard. */
static struct turn turns[THREADS_MAX];
static int turn_count;
static struct turn *running; /* NULL if all wait */
static struct random seed_draws;
static bool fine;        /* atomic accesses are points, too */
static unsigned parking; /* for how many points a thread may be left, or 0 */
static unsigned long points;
static uint64_t seed_number;

static struct turn *asking; /* the control thread acts for this one, or NULL */
static pthread_key_t end_key;
static __thread struct turn *own;

static void real_find(void)
{
	if (real.once)
		return;
	real.lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real.trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
	real.unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	real.wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	real.timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	real.signal = dlsym(RTLD_NEXT, "pthread_cond_signal");
	real.broadcast = dlsym(RTLD_NEXT, "pthread_cond_broadcast");
	real.once = dlsym(RTLD_NEXT, "pthread_once");
}

void turns_lock(void)
{
	real.lock(&guard);
}

void turns_unlock(void)
{
	real.unlock(&guard);
}

/* Only one of these threads acts at a time, as the control thread waits for the
 * giver in a system call. */
bool schedule_is_mnms_thread(void)
{
	static __thread int known; /* 0: not yet, 1: yes, 2: no */
	char name[16] = "";

	if (!known) {
		prctl(PR_GET_NAME, name);
		known = 2;
		if (!strcmp(name, "mnm-control") || !strcmp(name, "mnm-giver"))
			known = 1;
	}
	return known == 1;
}

struct turn *turn_actor(void)
{
	real_find();
	if (own)
		return own;
	return asking && schedule_is_mnms_thread() ? asking : NULL;
}

/* Under guard. Of the threads that can run, returns the one that has been left
 * behind longest, or NULL. */
static struct turn *turn_pick_left(const struct turn *but)
{
	struct turn *found = NULL;

	for (int i = 0; i < turn_count; i++)
		if (turns[i].state == READY && &turns[i] != but &&
		    (!found || turns[i].later < found->later))
			found = &turns[i];
	if (found)
		found->later = 0;
	return found;
}

/* Under guard. Returns a thread that waits with a time limit, and lets its time
 * run out, or NULL. */
static struct turn *turn_pick_timed(void)
{
	for (int i = 0; i < turn_count; i++) {
		if (turns[i].state != WAITING || !turns[i].timed)
			continue;
		turns[i].timed_out = true;
		turns[i].state = READY;
		return &turns[i];
	}
	return NULL;
}

/* Under guard. Returns a thread that can run, as the seed says, or NULL. `but`
 * can run itself: it is not returned, and it goes before any thread that was
 * left behind. Without `but` a thread that was left behind comes next, and then
 * one whose time runs out. */
static struct turn *turn_pick(const struct turn *but)
{
	struct turn *able[THREADS_MAX], *left;
	unsigned count = 0;

	for (int i = 0; i < turn_count; i++)
		if (turns[i].state == READY && &turns[i] != but &&
		    turns[i].later <= points)
			able[count++] = &turns[i];
	if (count)
		return able[random_below(&seed_draws, count)];
	if (but)
		return NULL;
	left = turn_pick_left(NULL);
	return left ? left : turn_pick_timed();
}

static void deadlock_report(void)
{
	fprintf(stderr, "deadlock, seed %llu\n",
		(unsigned long long)seed_number);
	for (int i = 0; i < turn_count; i++)
		fprintf(stderr, "  thread %d %s %p\n", i,
			state_names[turns[i].state], turns[i].what);
	_exit(EXIT_FAILURE);
}

/* Waits until the caller's turn comes. */
static void turn_wait(struct turn *turn)
{
	struct timespec until;
	bool silent;

	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += SILENCE_SECONDS;
		if (!sem_timedwait(&turn->mine, &until))
			return;
		if (errno == EINTR)
			continue;
		real.lock(&guard);
		silent = !running;
		real.unlock(&guard);
		if (silent)
			deadlock_report();
	}
}

void turn_give(struct turn *turn)
{
	struct turn *next = turn_pick(NULL);

	running = next;
	real.unlock(&guard);
	if (next == turn)
		return;
	if (next)
		sem_post(&next->mine);
	turn_wait(turn);
}

/* Lets another thread go on, if one can; with `left`, also one that was left
 * behind. */
static void turn_pass(struct turn *turn, bool left)
{
	struct turn *next;

	real.lock(&guard);
	next = turn_pick(turn);
	if (!next && left)
		next = turn_pick_left(turn);
	if (next)
		running = next;
	real.unlock(&guard);
	if (!next)
		return;
	sem_post(&next->mine);
	turn_wait(turn);
}

void turn_yield(struct turn *turn)
{
	turn_pass(turn, true);
}

void turn_point(struct turn *turn)
{
	int thread = (int)(turn - turns);

	points++;
	if (ways_watched)
		ways_point(thread);
	if (turn->hold && !--turn->hold) {
		turn->left = true;
		turn->later = HELD + points;
		ways_leave(thread);
		turn_pass(turn, true);
		ways_go_on(thread);
		return;
	}
	if (!turn->stay || !random_one_in(&seed_draws, turn->stay))
		return;
	if (parking && random_one_in(&seed_draws, PARK_ONE_IN))
		turn->later = points + random_below(&seed_draws, parking);
	turn_pass(turn, false);
}

void schedule_point(void)
{
	struct turn *turn = fine ? turn_actor() : NULL;

	if (turn)
		turn_point(turn);
}

void turn_access(const struct turn *turn, const void *what)
{
	if (ways_watched)
		ways_access((int)(turn - turns), what, 1, ACCESS_WRITE);
}

void schedule_access(const void *at, size_t bytes, enum access access)
{
	const struct turn *turn = turn_actor();

	if (turn)
		ways_access((int)(turn - turns), at, bytes, access);
}

/* Under guard. If all threads wait, lets one go on that can now. */
static void turn_start(void)
{
	if (running)
		return;
	running = turn_pick(NULL);
	if (running)
		sem_post(&running->mine);
}

void turns_wake(enum turn_state state, const void *what, bool all)
{
	struct turn *found[THREADS_MAX];
	unsigned count = 0, first = 0;

	for (int i = 0; i < turn_count; i++)
		if (turns[i].state == state && turns[i].what == what)
			found[count++] = &turns[i];
	if (!count)
		return;
	if (!all) {
		first = random_below(&seed_draws, count);
		count = first + 1;
	}
	for (; first < count; first++)
		found[first]->state = READY;
	turn_start();
}

/* The thread's other destructors take locks, too, so it leaves in the last
 * round of them. */
static void turn_end(void *arg)
{
	struct turn *turn = arg;

	if (++turn->ends < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(end_key, turn);
		return;
	}
	own = NULL;
	turns_lock();
	turn->state = turn->passed ? READY : ENDED;
	if (turn->passed)
		sem_post(&turn->empty);
	else
		turns_wake(JOINING, turn, true);
	running = NULL;
	turn_start();
	turns_unlock();
}

void schedule_open(uint64_t seed, int count)
{
	unsigned stay;

	real_find();
	seed_number = seed;
	seed_draws = random_open(seed, PURPOSE_SCHEDULE);
	stay = random_one_in(&seed_draws, 4) ? 2 : 8;
	fine = !random_one_in(&seed_draws, 4);
	if (fine && !random_one_in(&seed_draws, 4)) {
		stay = 16;
		parking = 64 << random_below(&seed_draws, 6);
	}
	pthread_key_create(&end_key, turn_end);
	for (int i = 0; i < count; i++) {
		sem_init(&turns[i].mine, 0, 0);
		sem_init(&turns[i].empty, 0, 0);
		turns[i].state = i ? ENDED : READY;
		turns[i].stay = stay;
	}
	turn_count = count;
	own = running = &turns[0];
}

void schedule_pace(unsigned stay)
{
	fine = true;
	parking = 0;
	own->stay = stay;
}

void schedule_yield(void)
{
	turn_pass(own, false);
}

bool schedule_hold(unsigned long n)
{
	bool left = own->left;

	own->left = false;
	own->hold = n;
	return left;
}

void schedule_start(int thread)
{
	turns_lock();
	turns[thread].state = READY;
	turns_unlock();
}

void schedule_enter(int thread)
{
	struct turn *turn = &turns[thread];

	pthread_setspecific(end_key, turn);
	while (turn->passed && sem_wait(&turn->empty))
		;
	turn->passed = false;
	turn->ends = 0;
	turn_wait(turn);
	own = turn;
}

void schedule_pass_on(void)
{
	own->passed = true;
}

void schedule_join(int thread)
{
	turns_lock();
	if (turns[thread].state == ENDED) {
		turns_unlock();
		return;
	}
	own->state = JOINING;
	own->what = &turns[thread];
	turn_give(own);
}

void schedule_ask(void)
{
	asking = own;
}

void schedule_answered(void)
{
	asking = NULL;
}
