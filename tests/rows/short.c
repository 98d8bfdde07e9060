/* Calls every hooked entry while it is out of memory.
 * Usage: short idle|busy CALLS   beside memory that was freed, or that is live;
 *                                so many calls in a row are out of memory
 *
 * Prints "short SYMBOL CODE|CALLS|BUFFERS" for each entry: what it returned,
 * the driver's calls, and what the caller's memory held afterwards. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "echo.h"
#include "walk.h"

enum { SIZE = 4096 };

/* The driver always gives the same address. */
static CUdeviceptr held;

static void memory_leave(bool idle)
{
	if (!held)
		cuMemAlloc(&held, SIZE);
	if (idle) {
		cuMemFree(held);
		held = 0;
	}
}

static void row_call(const struct call *call, void *entry, bool idle, int calls)
{
	CUresult res;

	memory_leave(idle);
	buffers_clear();
	echo_taken();
	echo_short(call->symbol, calls);
	res = call->make(entry, VALUES_BUFFERS);
	echo_short("", 0);
	printf("short %s %d|%s|", call->symbol, (int)res, echo_taken());
	buffers_print();
	printf("\n");
	memory_leave(true);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: short idle|busy CALLS\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0); /* a crash leaves its row */
	echo_tell(ECHO_GRANTS, false);
	for (unsigned int i = 0; i < row_count; i++)
		for (unsigned int k = 0; k < call_count; k++)
			if (!strcmp(rows[i].symbol, calls[k].symbol))
				row_call(&calls[k], calls[k].linked,
					 !strcmp(argv[1], "idle"),
					 atoi(argv[2]));
	return 0;
}
