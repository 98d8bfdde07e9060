#include "barrier.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "syscall_filter.h"

static bool membarrier(int command)
{
	return !syscall(SYS_membarrier, command, 0);
}

static _Atomic bool open;

bool barrier_open(void)
{
	open = !syscall_filter_kills() &&
	       membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
	return open;
}

bool barrier_is_open(void)
{
	return open;
}

bool barrier_all(void)
{
	if (open && !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		open = false; /* a filter forbids it from now on */
	return open;
}
