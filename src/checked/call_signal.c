#include "call_signal.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "call.h"
#include "call_watch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t avoided;
static int chosen; /* under lock; 0: none yet */

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

void call_signal_begin(void)
{
	sigprocmask(SIG_BLOCK, NULL, &avoided);
}

static bool is_ours(int number)
{
	struct sigaction now;

	return number && !sigaction(number, NULL, &now) &&
	       now.sa_sigaction == on_signal;
}

/* Under lock. The handler stays, as a signal that came late would end the
 * process otherwise. */
static bool take_free(bool any)
{
	const struct sigaction action = {.sa_sigaction = on_signal,
					 .sa_flags = SA_SIGINFO | SA_NODEFER |
						     SA_RESTART};
	struct sigaction before;

	for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--)
		if ((any || !sigismember(&avoided, number)) &&
		    !sigaction(number, NULL, &before) &&
		    before.sa_handler == SIG_DFL &&
		    !sigaction(number, &action, NULL)) {
			chosen = number;
			return true;
		}
	return false;
}

int call_signal(void)
{
	int number;

	pthread_mutex_lock(&lock);
	if (!is_ours(chosen) && !take_free(false) && !take_free(true))
		chosen = 0;
	number = chosen;
	pthread_mutex_unlock(&lock);
	return number;
}

bool call_signals_blocked(void)
{
	sigset_t mask;

	if (sigprocmask(SIG_BLOCK, NULL, &mask))
		return false;
	for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--)
		if (!sigismember(&mask, number))
			return false;
	return true;
}

static void mask_change(int how, int number)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(how, &one, NULL);
}

/* One that the program may wait for would be lost if it came meanwhile. */
int call_signal_let(void)
{
	int number = call_signal();

	if (!number || sigismember(&avoided, number))
		return 0;
	mask_change(SIG_UNBLOCK, number);
	return number;
}

void call_signal_stop(int let)
{
	if (let)
		mask_change(SIG_BLOCK, let);
}
