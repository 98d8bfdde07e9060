#include "pool_choice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pool_list.h"

static const struct backed {
	const char *name, *pool, *word;
	enum backing backing;
} backed[] = {
#define BACKING(pool, backing) \
	{#pool "@" #backing, #pool, #backing, BACKING_##backing},
	BACKING_LIST
#undef BACKING
};

/* The pools' own choices come first. */
enum {
#define POOL(name, summary) OWN_##name,
	POOL_LIST
#undef POOL
		OWN_COUNT,
	BACKED_COUNT = sizeof(backed) / sizeof(*backed)
};

/* The first row of the pool, which has its own backing, or NULL. */
static const struct backed *own_of(const char *pool)
{
	for (int i = 0; i < BACKED_COUNT; i++)
		if (!strcmp(backed[i].pool, pool))
			return &backed[i];
	return NULL;
}

/* The row of a pool in pool_rows, whose name is the text up to there. */
static int own_find(const char *text, const char *end)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(end - text), text);
	return pool_row_find(name);
}

int pool_choice_find(const char *text, const char **bad)
{
	const char *end = strchr(text, '@');
	int own = end ? own_find(text, end) : pool_row_find(text);
	const struct backed *row;

	*bad = "unknown pool";
	if (own < 0 || !end)
		return own;
	row = own_of(pool_rows[own].name);
	if (row && !strcmp(row->name, text))
		return own;
	for (int i = 0; i < BACKED_COUNT; i++)
		if (!strcmp(backed[i].name, text))
			return OWN_COUNT + i;
	*bad = row ? "backing is not device, virtual, managed or host"
		   : "it has no regions, which a backing is for";
	return -1;
}

const char *pool_choice_name(int choice)
{
	return choice < OWN_COUNT ? pool_rows[choice].name
				  : backed[choice - OWN_COUNT].name;
}

int pool_choice_row(int choice)
{
	return choice < OWN_COUNT
		       ? choice
		       : pool_row_find(backed[choice - OWN_COUNT].pool);
}

enum backing pool_choice_backing(int choice)
{
	const struct backed *own;

	if (choice >= OWN_COUNT)
		return backed[choice - OWN_COUNT].backing;
	own = own_of(pool_rows[choice].name);
	return own ? own->backing : BACKING_none;
}

int pool_choice_pinned(int choice)
{
	const char *pool = pool_rows[pool_choice_row(choice)].name;

	for (int i = 0; i < BACKED_COUNT; i++)
		if (backed[i].backing == BACKING_host &&
		    !strcmp(backed[i].pool, pool))
			return OWN_COUNT + i;
	return choice;
}

const char *pool_backing(const char *pool, int index)
{
	for (int i = 0; i < BACKED_COUNT; i++)
		if (!strcmp(backed[i].pool, pool) && !index--)
			return backed[i].word;
	return NULL;
}
