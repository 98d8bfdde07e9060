#include "stack.h"

#include <stdlib.h>

#include <uthash.h>

#include "common/text.h"
#include "stacks.h"

/* To what a call site counts. */
struct stack_site {
	uint64_t site;
	unsigned int file, function;
	UT_hash_handle hh;
};

/* They get shares before others. Frees them. */
static void named_first(struct stack *stack, struct named_holder *named,
			size_t count)
{
	for (size_t i = 0; i < count && i < SHARES_MOST / 4; i++) {
		shares_find(&stack->files, named[i].file, "");
		shares_find(&stack->functions, named[i].function,
			    named[i].file);
	}
	free(named);
}

void stack_open(struct stack *stack, const struct summary *summary,
		unsigned int number, const struct mnm_record *record,
		struct symbols *symbols)
{
	const struct device_summary *device = &summary->devices[number];
	struct named_holder *named;
	size_t count = 0;

	*stack = (struct stack){
		.symbols = symbols,
		.record = record,
		.times = json_array(),
	};
	if (summary->stack_count) {
		named = stacks_name(summary, device, symbols, &count);
		named_first(stack, named, count);
	}
	named = holders_name(device, symbols, &count);
	named_first(stack, named, count);
}

void stack_close(struct stack *stack)
{
	struct stack_site *site, *next;

	HASH_ITER (hh, stack->sites, site, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(stack->sites, site);
		free(site);
	}
	free(stack->files.rows);
	free(stack->functions.rows);
	free(stack->pools.rows);
	json_decref(stack->times);
}

static struct stack_site site_name(struct stack *stack, uint64_t key)
{
	struct stack_site site = {.site = key};
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];

	site_names(stack->symbols, key, file, function);
	site.file = shares_find(&stack->files, file, "");
	site.function = shares_find(&stack->functions, function, file);
	return site;
}

/* Looks the names up once, unless there is no memory to remember that. */
static struct stack_site site_find(struct stack *stack, uint64_t key)
{
	struct stack_site *site, named;

	/* NOLINTNEXTLINE(*-core.*): uthash sets site */
	HASH_FIND(hh, stack->sites, &key, sizeof(key), site);
	if (site)
		return *site;
	named = site_name(stack, key);
	site = malloc(sizeof(*site));
	if (!site)
		return named;
	*site = named;
	HASH_ADD(hh, stack->sites, site, sizeof(key), site);
	if (!site->hh.tbl)
		free(site);
	return named;
}

unsigned int stack_function(struct stack *stack, const struct live_block *block)
{
	return site_find(stack, block->event.site).function;
}

static void row_keep(struct stack *stack, uint64_t time, bool anew)
{
	json_t *number = json_integer((json_int_t)time);

	if (!shares_keep(&stack->files, anew) ||
	    !shares_keep(&stack->functions, anew) ||
	    !shares_keep(&stack->pools, anew))
		json_decref(number);
	else if (anew)
		json_array_append_new(stack->times, number);
	else
		json_array_set_new(stack->times,
				   json_array_size(stack->times) - 1, number);
}

/* Before it changes: keeps what is now, where that is to be in a row. */
static void rows_before(struct stack *stack, uint64_t bucket)
{
	if (stack->due)
		row_keep(stack, stack->begin, stack->first);
	stack->first &= !stack->due;
	stack->due = false;
	if (!stack->past || bucket == stack->bucket)
		return;
	if (bucket != stack->bucket + 1)
		row_keep(stack, stack->last, true);
	stack->past = false;
}

static void rows_after(struct stack *stack, uint64_t bucket, uint64_t time,
		       uint64_t live)
{
	bool begins = !stack->open || bucket != stack->bucket;

	if (begins) {
		stack->first = stack->open = true;
		stack->bucket = bucket;
		stack->begin = time;
	}
	stack->past = !begins && live <= stack->most;
	if (begins || live > stack->most) {
		stack->due = true;
		stack->most = live;
	}
	stack->last = time;
}

static const char *pool_name(const struct stack *stack,
			     const struct live_block *block)
{
	const char *name = mnm_record_pool(stack->record, block->event.pool);

	return *name ? name : "CUDA itself";
}

void stack_change(struct stack *stack, uint64_t bucket, uint64_t time,
		  const struct live_block *block, bool comes, uint64_t live)
{
	struct stack_site site = site_find(stack, block->event.site);
	uint64_t bytes = block->event.size;
	char pool[HOLDER_NAME_SIZE];

	rows_before(stack, bucket);
	shares_count(&stack->files, site.file, bytes, comes);
	shares_count(&stack->functions, site.function, bytes, comes);
	text_plain(pool_name(stack, block), pool, sizeof(pool));
	shares_count(&stack->pools, shares_find(&stack->pools, pool, ""), bytes,
		     comes);
	rows_after(stack, bucket, time, live);
}

/* Each time becomes the difference to the one before. */
static json_t *differences(const json_t *times)
{
	json_t *list = json_array(), *each;
	json_int_t before = 0;
	size_t at;

	json_array_foreach(times, at, each)
	{
		json_array_append_new(
			list, json_integer(json_integer_value(each) - before));
		before = json_integer_value(each);
	}
	return list;
}

json_t *stack_json(struct stack *stack)
{
	rows_before(stack, stack->bucket + 2);
	return json_pack("{s:o,s:o,s:o,s:o}", "t", differences(stack->times),
			 "files", shares_rows(&stack->files), "functions",
			 shares_rows(&stack->functions), "pools",
			 shares_rows(&stack->pools));
}
