#include "call_watch.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "call.h"
#include "common/log.h"
#include "preload/thread.h"

enum {
	STACK_SIZE = 64 << 10,
	LOOK_NS = 999 * 1000 * 1000,
	TRIES_MOST = 10, /* signals to one call before that is told */
};

static struct call **watched;
static int chosen; /* signal; 0: none yet */

static uintptr_t instruction_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#else
	(void)context;
	return 0;
#endif
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	struct call *call = call_to_leave(instruction_of(context));

	(void)number, (void)info;
	if (call)
		siglongjmp(call->out, 1);
}

/* Takes a signal that the program makes no use of; the handler stays, as one
 * that came late would end the process otherwise. */
static bool signal_choose(void)
{
	struct sigaction action = {.sa_sigaction = on_signal,
				   .sa_flags = SA_SIGINFO | SA_NODEFER |
					       SA_RESTART};
	struct sigaction before;

	if (chosen && !sigaction(chosen, NULL, &before) &&
	    before.sa_sigaction == on_signal)
		return true;
	for (chosen = SIGRTMAX - 1; chosen > SIGRTMIN; chosen--)
		if (!sigaction(chosen, NULL, &before) &&
		    before.sa_handler == SIG_DFL)
			return !sigaction(chosen, &action, NULL);
	chosen = 0;
	return false;
}

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

static void call_leave(struct call *call, int thread, uint64_t number)
{
	if (++call->tries == TRIES_MOST)
		log_error("a pool's call takes no end, and can't be left as it "
			  "is in a function of another library's, or its "
			  "thread blocks all signals");
	if (call->tries > TRIES_MOST || !signal_choose())
		return;
	__atomic_store_n(&call->left, number, __ATOMIC_RELAXED);
	syscall(SYS_tgkill, getpid(), thread, chosen);
}

static void call_look(struct call *call)
{
	int thread = __atomic_load_n(&call->thread, __ATOMIC_ACQUIRE);
	uint64_t number = __atomic_load_n(&call->number, __ATOMIC_RELAXED);
	int64_t used;

	if (!thread || !__atomic_load_n(&call->code, __ATOMIC_ACQUIRE))
		return;
	used = used_ms(thread);
	if (call->seen != number) {
		call->seen = number;
		call->used_ms = used;
		call->tries = 0;
	} else if (used - call->used_ms >= CALL_MOST_MS) {
		call_leave(call, thread, number);
	}
}

/* The last thread of a process runs the program's exit handlers, and that has
 * to be one of the program's own. */
static void *watch_run(void *unused)
{
	prctl(PR_SET_NAME, "mnm-watch");
	thread_detach();
	while (!thread_main_ended()) {
		thread_nap(LOOK_NS);
		for (struct call *call =
			     __atomic_load_n(watched, __ATOMIC_ACQUIRE);
		     call; call = call->next)
			call_look(call);
	}
	return unused;
}

bool call_watch_start(struct call **calls)
{
	pthread_t thread;

	watched = calls;
	return !thread_start(watch_run, NULL, STACK_SIZE, &thread);
}
