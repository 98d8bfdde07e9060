/* A pool in a plug-in. Requests are rounded up to powers of two. The idle
 * blocks of each power wait in a queue, the oldest first. */
#include <mnm/pool.h>

enum { LEAST = 512, CLASSES = 64 };

struct octave_pool {
	struct mnm_pool pool; /* has to be first */
	struct mnm_block_list idle[CLASSES];
};

static struct mnm_block_list *class_of(struct mnm_pool *pool, size_t span)
{
	return &((struct octave_pool *)pool)->idle[__builtin_ctzl(span)];
}

static size_t octave_pool_span(const struct mnm_pool *pool, size_t size,
			       size_t slack)
{
	(void)pool, (void)slack;
	if (size <= LEAST)
		return LEAST;
	if (size > SIZE_MAX / 2 + 1)
		return 0;
	return (size_t)1 << (64 - __builtin_clzl(size - 1));
}

static enum mnm_answer octave_pool_alloc(struct mnm_pool *pool,
					 const struct mnm_request *request,
					 struct mnm_block **block)
{
	struct mnm_block_list *idle = class_of(pool, request->span);
	struct mnm_block *before = NULL, *at = idle->head;

	for (; at && !mnm_block_is_ready(at, request); at = at->next)
		before = at;
	if (!at)
		return idle->head ? MNM_UNSAFE : MNM_MISS;
	if (before)
		before->next = at->next;
	else
		idle->head = at->next;
	if (idle->tail == at)
		idle->tail = before;
	*block = at;
	return MNM_HIT;
}

static bool octave_pool_free(struct mnm_pool *pool, struct mnm_block *block)
{
	struct mnm_block_list *idle = class_of(pool, block->span);

	block->next = NULL;
	if (idle->head)
		idle->tail->next = block;
	else
		idle->head = block;
	idle->tail = block;
	return true;
}

/* The largest go first, so that few blocks make much room. */
static struct mnm_block *octave_pool_trim(struct mnm_pool *pool, size_t bytes)
{
	struct octave_pool *self = (struct octave_pool *)pool;
	struct mnm_block *list = NULL, *block;
	size_t taken = 0;

	for (int i = CLASSES - 1; i >= 0; i--) {
		while (taken < bytes && (block = self->idle[i].head)) {
			self->idle[i].head = block->next;
			block->next = list;
			list = block;
			taken += block->span;
		}
	}
	return list;
}

static const struct mnm_pool_ops octave_pool = {
	.name = "octave_pool",
	.size = sizeof(struct octave_pool),
	.span = octave_pool_span,
	.alloc = octave_pool_alloc,
	.free = octave_pool_free,
	.trim = octave_pool_trim,
};

static const struct mnm_pool_row rows[] = {
	{&octave_pool, "powers of two, a queue for each", MNM_BACKING_NONE},
};

MNM_PLUGIN struct mnm_plugin mnm_plugin = {MNM_POOL_VERSION, 1, rows};
