#include "serving.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "thread.h"

enum { STATE_UNKNOWN, STATE_ON, STATE_OFF };

static _Atomic int state;
static void (*_Atomic child_calls)(void);

bool serving_is_on(void)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);
	const char *disable;

	if (now == STATE_UNKNOWN) {
		disable = secure_getenv("MNM_DISABLE");
		/* A setuid program has rights that its user lacks. */
		now = getauxval(AT_SECURE) || (disable && !strcmp(disable, "1"))
			      ? STATE_OFF
			      : STATE_ON;
		atomic_store(&state, now);
	}
	return now == STATE_ON;
}

void serving_end(void)
{
	atomic_store(&state, STATE_OFF);
}

void serving_child_calls(void (*function)(void))
{
	atomic_store(&child_calls, function);
}

static void child_forget(void)
{
	void (*function)(void) = atomic_load(&child_calls);

	if (function)
		function();
	serving_end();
}

static void guard_fork(void)
{
	pthread_atfork(NULL, NULL, child_forget);
}

void serving_guard_fork(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, guard_fork);
}
