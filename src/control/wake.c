#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wake.h"

/* The signal is sent to the control thread alone, which blocks it: no handler
 * sees it, nor does another thread that waits for signals. Its default action
 * is to do nothing as well. */
enum { WAKE_SIGNAL = SIGURG };

static pid_t thread;

int wake_open(void)
{
	sigset_t signals;

	thread = (pid_t)syscall(SYS_gettid);
	sigemptyset(&signals);
	sigaddset(&signals, WAKE_SIGNAL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool wake_came(void)
{
	sigset_t signals;

	return !sigpending(&signals) && sigismember(&signals, WAKE_SIGNAL);
}

void wake_send(void)
{
	syscall(SYS_tgkill, getpid(), thread, WAKE_SIGNAL);
}
