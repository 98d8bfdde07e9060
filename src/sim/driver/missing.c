#include "missing.h"

#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "call.h"
#include "world.h"

struct missing {
	struct missing *next;
	unsigned long count;
	char name[];
};

static struct missing *all;

/* The name is copied: the runtime may be unloaded before the report is
 * written. */
void missing_count(const char *name)
{
	struct missing **at = &all;
	size_t size = strlen(name) + 1;

	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	if (!*at)
		*at = calloc(1, sizeof(**at) + size);
	if (!*at)
		return;
	memcpy((*at)->name, name, size);
	(*at)->count++;
}

void missing_report(FILE *out)
{
	for (const struct missing *m = all; m; m = m->next)
		fprintf(out, "missing %s %lu\n", m->name, m->count);
}

__attribute__((visibility("default"))) void sim_missing(const char *name)
{
	pthread_mutex_lock(&world.lock);
	missing_count(name);
	pthread_mutex_unlock(&world.lock);
	call_log(name, CUDA_ERROR_NOT_SUPPORTED);
}
