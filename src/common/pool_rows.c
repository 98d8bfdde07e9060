#include <stdio.h>
#include <string.h>

#include "pool_list.h"

const struct pool_row pool_rows[] = {
#define POOL(name, summary) {#name, summary},
	POOL_LIST
#undef POOL
	{NULL, NULL},
};

int pool_row_find(const char *name)
{
	for (int i = 0; pool_rows[i].name; i++)
		if (!strcmp(pool_rows[i].name, name))
			return i;
	return -1;
}

void pool_names(char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; pool_rows[i].name && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i ? ", " : "", pool_rows[i].name);
}
