#include "threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MOST = 1024 };

static unsigned wanted; /* 0: not said */

CUresult threads_open(void)
{
	const char *text = getenv("MNM_SIM_THREADS");
	char *end;
	long count;

	if (!text || !*text)
		return CUDA_SUCCESS;
	count = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || count < 1 ||
	    count > THREADS_MOST) {
		fprintf(stderr,
			"mnm-sim: MNM_SIM_THREADS: \"%s\" is not 1 to %d\n",
			text, THREADS_MOST);
		return CUDA_ERROR_NO_DEVICE;
	}
	wanted = (unsigned)count;
	return CUDA_SUCCESS;
}

unsigned threads_most(void)
{
	cpu_set_t set;
	long count;

	if (wanted)
		return wanted;
	count = sched_getaffinity(0, sizeof(set), &set)
			? sysconf(_SC_NPROCESSORS_ONLN)
			: CPU_COUNT(&set);
	return count < 1              ? 1
	       : count > THREADS_MOST ? THREADS_MOST
				      : (unsigned)count;
}
