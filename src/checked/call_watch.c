#include "call_watch.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "call_signal.h"
#include "common/log.h"
#include "preload/syscall_filter.h"
#include "preload/thread.h"

enum {
	STACK_SIZE = 64 << 10,
	LOOK_NS = 999 * 1000 * 1000,
	ALONE_NS = 50 * 1000 * 1000, /* between looks for the main thread */
	ALONE_LOOKS = 20,            /* of those for one at the calls */
	LEAVE_SECONDS = 2, /* for which a main thread waits for this one */
	TRIES_MOST = 10,   /* signals to one call before that is told */
	WAITS_MOST = 5,    /* looks at one that uses no time */
};

static struct call **watched;

static pthread_t watcher;
static pid_t process;
static bool told;                /* the main thread says so when it leaves */
static _Atomic uint32_t leaving; /* a futex */

/* The processor time that a thread has used, or 0 if it has ended. */
static int64_t used_ms(int thread)
{
	/* As the kernel numbers the clock of a thread, see
	 * include/linux/posix-timers.h there. */
	clockid_t clock = (clockid_t)(~(unsigned int)thread << 3 | 6);
	struct timespec used;

	return clock_gettime(clock, &used)
		       ? 0
		       : used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void call_leave(struct call *call, const struct code *code, int thread)
{
	int signal;

	if (++call->tries == TRIES_MOST)
		log_error("a call of pool %s takes no end, and can't be left: "
			  "it is in a function of another library's, or its "
			  "thread blocks signals",
			  code->pool);
	if (call->tries > TRIES_MOST)
		return;
	signal = call_signal();
	if (!signal)
		return;
	__atomic_store_n(&call->left, call->seen, __ATOMIC_RELAXED);
	syscall(SYS_tgkill, getpid(), thread, signal);
}

static void call_look(struct call *call)
{
	int thread = __atomic_load_n(&call->thread, __ATOMIC_ACQUIRE);
	uint64_t number = __atomic_load_n(&call->number, __ATOMIC_RELAXED);
	const struct code *code =
		__atomic_load_n(&call->code, __ATOMIC_ACQUIRE);
	int64_t used;

	if (!thread || !code)
		return;
	used = used_ms(thread);
	if (used != call->last_ms)
		call->waits = 0;
	call->last_ms = used;
	if (call->seen != number) {
		call->seen = number;
		call->used_ms = used;
		call->tries = call->waits = 0;
	} else if (used - call->used_ms >= CALL_MOST_MS) {
		call_leave(call, code, thread);
	} else if (++call->waits == WAITS_MOST) {
		log_error("a call of pool %s waits: a pool must call neither "
			  "CUDA nor what waits for another thread",
			  code->pool);
	}
}

static void calls_look(void)
{
	struct call *call = __atomic_load_n(watched, __ATOMIC_ACQUIRE);

	for (; call; call = call->next)
		call_look(call);
}

/* Sleeps. Returns whether the thread has to leave: the last thread of a process
 * runs the program's exit handlers, and that has to be one of the program's
 * own. */
static bool nap(void)
{
	const struct timespec limit = {.tv_nsec = told ? LOOK_NS : ALONE_NS};

	syscall(SYS_futex, &leaving, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
	return atomic_load(&leaving) || (!told && thread_main_ended());
}

static void *watch_run(void *unused)
{
	unsigned int naps = 0;

	prctl(PR_SET_NAME, "mnm-watch");
	if (!told)
		thread_detach();
	while (!nap())
		if (told || ++naps % ALONE_LOOKS == 0)
			calls_look();
	return unused;
}

/* Runs in the main thread as it leaves by pthread_exit. */
static void main_leaves(void *unused)
{
	(void)unused;
	if (getpid() != process)
		return;
	atomic_store(&leaving, 1);
	syscall(SYS_futex, &leaving, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	thread_join(watcher, LEAVE_SECONDS);
}

bool call_watch_start(struct call **calls)
{
	static struct thread_key main_key;

	if (syscall_filter_kills_socket())
		return false;
	call_signal_begin();
	watched = calls;
	process = getpid();
	if (thread_is_main())
		thread_key_open(&main_key, main_leaves);
	told = main_key.open;
	if (thread_start(watch_run, NULL, STACK_SIZE, &watcher))
		return false;
	if (told)
		thread_key_set(&main_key, &watcher);
	return true;
}
