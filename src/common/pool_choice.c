#include "pool_choice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mnm/pool.h>
#include "pool_list.h"

/* A choice is its pool's row, and the backing times so many; that is 0 for the
 * pool's own backing. */
enum { BACKING_UNIT = POOL_ROWS_MAX };

const char *const backing_words[BACKING_COUNT] = {"none", "device", "virtual",
						  "managed", "host"};

static int choice_of(int row, enum mnm_backing backing)
{
	return backing == pool_rows[row].backing
		       ? row
		       : row + (int)backing * BACKING_UNIT;
}

/* The row of a pool in pool_rows, whose name is the text up to there. */
static int row_find(const char *text, size_t length)
{
	char name[POOL_NAME_MAX + 1];

	if (length >= sizeof(name))
		return -1;
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	return pool_row_find(name);
}

int pool_choice_find(const char *text, const char **bad)
{
	size_t length = strcspn(text, "@");
	int row = row_find(text, length);

	*bad = "unknown pool";
	if (row < 0)
		return -1;
	*bad = "it is switched off, as it has answered wrongly";
	if (pool_row_is_off(&pool_rows[row]))
		return -1;
	if (!text[length])
		return row;
	*bad = "it has no regions, which a backing is for";
	if (pool_rows[row].backing == MNM_BACKING_NONE)
		return -1;
	for (int i = MNM_BACKING_NONE + 1; i < BACKING_COUNT; i++)
		if (!strcmp(backing_words[i], text + length + 1))
			return choice_of(row, (enum mnm_backing)i);
	*bad = "backing is not device, virtual, managed or host";
	return -1;
}

const char *pool_choice_name(int choice)
{
	return pool_rows[pool_choice_row(choice)]
		.spelled[choice / BACKING_UNIT];
}

int pool_choice_row(int choice)
{
	return choice % BACKING_UNIT;
}

enum mnm_backing pool_choice_backing(int choice)
{
	return choice < BACKING_UNIT
		       ? pool_rows[choice].backing
		       : (enum mnm_backing)(choice / BACKING_UNIT);
}

int pool_choice_pinned(int choice)
{
	int row = pool_choice_row(choice);

	return pool_rows[row].backing == MNM_BACKING_NONE
		       ? choice
		       : choice_of(row, MNM_BACKING_HOST);
}

const char *pool_backing(const struct pool_row *row, int index)
{
	if (row->backing == MNM_BACKING_NONE)
		return NULL;
	if (!index)
		return backing_words[row->backing];
	for (int i = MNM_BACKING_NONE + 1; i < BACKING_COUNT; i++)
		if (i != (int)row->backing && !--index)
			return backing_words[i];
	return NULL;
}
