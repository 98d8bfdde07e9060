#include "imports.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct opened {
	struct import import; /* first */
	size_t opens;
	struct opened *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened *list;
static _Atomic bool any; /* there has been one */

/* Under lock. The link to the one that has the address; to NULL if none has. */
static struct opened **link_of(uint64_t addr)
{
	struct opened **link = &list;

	while (*link && addr - (*link)->import.addr >= (*link)->import.size)
		link = &(*link)->next;
	return link;
}

/* Under lock. Its context may have ended without a call that closes it. */
static bool is_left_over(const struct opened *opened,
			 const struct import *import)
{
	return opened->import.addr != import->addr ||
	       opened->import.size != import->size ||
	       opened->import.base != import->base;
}

/* Under lock. */
static void drop(struct opened **link)
{
	struct opened *opened = *link;

	*link = opened->next;
	free(opened);
}

/* Under lock. Returns false without memory. */
static bool put(const struct import *import)
{
	struct opened *opened = malloc(sizeof(*opened));

	if (!opened)
		return false;
	*opened = (struct opened){*import, 1, list};
	list = opened;
	any = true;
	return true;
}

bool import_open(const struct import *import)
{
	struct opened **link;
	bool done = true;

	pthread_mutex_lock(&lock);
	link = link_of(import->addr);
	while (*link && is_left_over(*link, import)) {
		drop(link);
		link = link_of(import->addr);
	}
	if (*link)
		(*link)->opens++;
	else
		done = put(import);
	pthread_mutex_unlock(&lock);
	return done;
}

void import_close(uint64_t addr)
{
	struct opened **link;

	pthread_mutex_lock(&lock);
	link = link_of(addr);
	if (*link && !--(*link)->opens)
		drop(link);
	pthread_mutex_unlock(&lock);
}

bool import_find(uint64_t addr, struct import *found)
{
	const struct opened *opened;

	if (!any)
		return false;
	pthread_mutex_lock(&lock);
	opened = *link_of(addr);
	if (opened)
		*found = opened->import;
	pthread_mutex_unlock(&lock);
	return opened;
}
