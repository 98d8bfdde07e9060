/* Pinned host memory by the driver's calls. It has names, as device memory has.
 * Each answer starts with the call's result. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

static void pinned(const char *name, size_t size, CUresult result,
		   const void *addr)
{
	struct shell_memory *memory = shell_memory(name);

	printf("%d", (int)result);
	if (result)
		return;
	memory->addr = (uint64_t)addr;
	memory->size = size;
}

/* Allocates with flags. */
static void run_pin(char **words)
{
	size_t size = shell_size(words[1]);
	void *addr = NULL;
	CUresult result =
		cuMemHostAlloc(&addr, size, (unsigned int)atoi(words[2]));

	pinned(words[0], size, result, addr);
}

static void run_pin_plain(char **words)
{
	size_t size = shell_size(words[1]);
	void *addr = NULL;
	CUresult result = cuMemAllocHost(&addr, size);

	pinned(words[0], size, result, addr);
}

static void run_unpin(char **words)
{
	printf("%d", (int)cuMemFreeHost((void *)shell_memory(words[0])->addr));
}

/* Copies device memory to pinned memory, in a stream. */
static void run_pull(char **words)
{
	struct shell_memory *to = shell_memory(words[0]);
	struct shell_memory *from = shell_memory(words[1]);
	CUstream stream = (CUstream)shell_memory(words[2])->addr;

	printf("%d", (int)cuMemcpyDtoHAsync((void *)to->addr, from->addr,
					    to->size, stream));
}

static void run_host_fill(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);

	memset((void *)memory->addr, atoi(words[1]), memory->size);
	printf("0");
}

static void run_host_check(char **words)
{
	const struct shell_memory *memory = shell_memory(words[0]);

	printf("0 %s", shell_all((const unsigned char *)memory->addr,
				 memory->size, atoi(words[1]))
			       ? "right"
			       : "wrong");
}

static void run_host_flags(char **words)
{
	unsigned int flags = 0;
	CUresult result =
		cuMemHostGetFlags(&flags, (void *)shell_memory(words[0])->addr);

	printf("%d %u", (int)result, flags);
}

const struct shell_command shell_pinned[] = {
	{"pin", 3, run_pin},
	{"pin_plain", 2, run_pin_plain},
	{"unpin", 1, run_unpin},
	{"pull", 3, run_pull},
	{"host_fill", 2, run_host_fill},
	{"host_check", 2, run_host_check},
	{"host_flags", 1, run_host_flags},
	{NULL, 0, NULL},
};
