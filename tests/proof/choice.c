#include "choice.h"

#include <string.h>

#include "common/pool_choice.h"
#include "common/pool_list.h"

enum {
#define POOL(name, backing, summary) ROW_##name,
	POOL_LIST
#undef POOL
		ROWS
};

const char *const choices[] = {
#define POOL(name, backing, summary) #name,
	POOL_LIST
#undef POOL
#define BACKED_NONE(pool)
#define BACKED_DEVICE(pool) \
#pool "@device", #pool "@virtual", #pool "@managed", #pool "@host",
#define BACKED_VIRTUAL(pool) \
#pool "@virtual", #pool "@device", #pool "@managed", #pool "@host",
#define POOL(name, backing, summary) BACKED_##backing(name)
		POOL_LIST
#undef POOL
			NULL};

static bool is_whole(const char *pool)
{
	return !strcmp(pool, "page_unit_pool") || !strcmp(pool, "no_pool");
}

static unsigned row_draw(struct random *random, bool whole)
{
	unsigned count = 0, fitting[ROWS];

	for (unsigned i = 0; i < ROWS; i++)
		if (!whole || is_whole(choices[i]))
			fitting[count++] = i;
	return fitting[random_below(random, count)];
}

/* Whether that is the pool with some backing. */
static bool is_backed(const char *choice, const char *pool)
{
	size_t length = strlen(pool);

	return !strncmp(choice, pool, length) && choice[length] == '@';
}

unsigned choice_draw(struct random *random, bool whole)
{
	unsigned row = row_draw(random, whole);
	unsigned first = ROWS, count = 0;

	while (choices[first] && !is_backed(choices[first], choices[row]))
		first++;
	while (choices[first + count] &&
	       is_backed(choices[first + count], choices[row]))
		count++;
	return count ? first + random_below(random, count) : row;
}

unsigned choice_find(const char *name)
{
	unsigned index = 0;

	while (strcmp(choices[index], name))
		index++;
	return index;
}
