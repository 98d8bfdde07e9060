/* A plug-in that keeps no errno, and whose code is over with the process: it
 * registers that as a C++ object with a destructor does. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "plugin.h"

enum { UNIT = 4096 };

static bool over;

static void end(void)
{
	over = true;
}

__attribute__((constructor)) static void begin(void)
{
	errno = EDOM;
	atexit(end);
}

static void be_rude(void)
{
	if (over)
		_exit(9);
	errno = ERANGE;
}

struct rude_pool {
	struct mnm_pool pool; /* has to be first */
	struct mnm_block *idle;
};

static struct mnm_block **idle_of(struct mnm_pool *pool)
{
	return &((struct rude_pool *)pool)->idle;
}

static size_t rude_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)pool, (void)slack;
	be_rude();
	return (size + UNIT - 1) & -(size_t)UNIT;
}

static enum mnm_answer rude_alloc(struct mnm_pool *pool,
				  const struct mnm_request *request,
				  struct mnm_block **block)
{
	struct mnm_block **link = idle_of(pool);

	be_rude();
	while (*link && !((*link)->span == request->span &&
			  mnm_block_is_ready(*link, request)))
		link = &(*link)->next;
	if (!*link)
		return *idle_of(pool) ? MNM_UNSAFE : MNM_MISS;
	*block = *link;
	*link = (*link)->next;
	return MNM_HIT;
}

static bool rude_free(struct mnm_pool *pool, struct mnm_block *block)
{
	be_rude();
	block->next = *idle_of(pool);
	*idle_of(pool) = block;
	return true;
}

static struct mnm_block *rude_trim(struct mnm_pool *pool, size_t bytes)
{
	struct mnm_block *list = *idle_of(pool);

	(void)bytes;
	be_rude();
	*idle_of(pool) = NULL;
	return list;
}

static const struct mnm_pool_ops ops = {
	.name = "rude_pool",
	.size = sizeof(struct rude_pool),
	.span = rude_span,
	.alloc = rude_alloc,
	.free = rude_free,
	.trim = rude_trim,
};

static const struct mnm_pool_row rows[] = {
	ROW(ops, "leaves errno as it likes", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
