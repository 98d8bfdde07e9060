/* A plug-in whose constructor asks CUDA for memory, where there is CUDA, and
 * leaves it to the program. */
#include <stddef.h>

#include "plugin.h"

extern int cudaMalloc(void **out, size_t size) __attribute__((weak));

EXPORTED void *from_constructor;

__attribute__((constructor)) static void ask(void)
{
	if (cudaMalloc)
		cudaMalloc(&from_constructor, 5000);
}

static const struct mnm_pool_ops ops = {.name = "asking_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
