#include "barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "syscall_filter.h"

static bool membarrier(int command)
{
	return !syscall(SYS_membarrier, command, 0);
}

bool barrier_open(void)
{
	return !syscall_filter_kills() &&
	       membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool barrier_all(void)
{
	return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
