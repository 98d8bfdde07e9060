#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mnm/pool.h>
#include "pool_list.h"

/* clang-format off */
static struct pool_row all[POOL_ROWS_MAX + 1] = {
#define POOL(name, backing, summary) \
	{#name, summary, MNM_BACKING_##backing, \
	 {#name, #name "@device", #name "@virtual", #name "@managed", \
	  #name "@host"}, NULL, NULL, false},
	POOL_LIST
#undef POOL
};
/* clang-format on */

const struct pool_row *const pool_rows = all;

int pool_row_find(const char *name)
{
	for (int i = 0; pool_rows[i].name; i++)
		if (!strcmp(pool_rows[i].name, name))
			return i;
	return -1;
}

int pool_rows_count(void)
{
	int count = 0;

	while (pool_rows[count].name)
		count++;
	return count;
}

void pool_row_switch_off(const char *name)
{
	int row = pool_row_find(name);

	if (row >= 0)
		__atomic_store_n(&all[row].off, true, __ATOMIC_RELAXED);
}

bool pool_row_is_off(const struct pool_row *row)
{
	return __atomic_load_n(&row->off, __ATOMIC_RELAXED);
}

bool pool_rows_add(const struct mnm_pool_row *rows, unsigned int count,
		   const char *file)
{
	struct spelled {
		char text[BACKING_COUNT][POOL_NAME_MAX + sizeof("@managed")];
	} *spelled = calloc(count, sizeof(*spelled));
	struct pool_row *row = &all[pool_rows_count()];

	if (!spelled)
		return false;
	for (unsigned int i = 0; i < count; i++, row++) {
		for (int backing = 0; backing < BACKING_COUNT; backing++) {
			snprintf(spelled[i].text[backing],
				 sizeof(spelled[i].text[backing]), "%s%s%s",
				 rows[i].ops->name, backing ? "@" : "",
				 backing ? backing_words[backing] : "");
			row->spelled[backing] = spelled[i].text[backing];
		}
		row->summary = rows[i].summary;
		row->backing = (enum mnm_backing)rows[i].backing;
		row->file = file;
		row->ops = rows[i].ops;
		row->name = row->spelled[MNM_BACKING_NONE];
	}
	return true;
}

void pool_names(char *text, size_t size)
{
	static const char more[] = ", ...";
	size_t used = 0;
	int length;

	text[0] = '\0';
	for (int i = 0; pool_rows[i].name; i++) {
		length = snprintf(text + used, size - used, "%s%s",
				  i ? ", " : "", pool_rows[i].name);
		if (used + (size_t)length + sizeof(more) > size) {
			snprintf(text + used, size - used, "%s", more);
			return;
		}
		used += (size_t)length;
	}
}
