#include "flame.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "holders.h"
#include "stacks.h"

enum { OUTERMOST = -1, LEAST_PART = 1000 };

/* A call, in what it was called by. */
struct call_key {
	json_int_t parent; /* the number of the call, or OUTERMOST */
	uint64_t names;    /* a hash of them */
};

struct call {
	struct call_key key;
	uint64_t bytes, blocks;
	json_int_t number;
	uint64_t stack; /* one that has it, at that frame */
	size_t frame;
	UT_hash_handle hh;
};

static const char no_stack[] = "(no stack)";

/* The call of that key, which is new if need be. Returns NULL without
 * memory. */
static struct call *call_find(struct call **calls, const struct call_key *key)
{
	struct call *call;

	/* NOLINTNEXTLINE(*-core.*): uthash sets call */
	HASH_FIND(hh, *calls, key, sizeof(*key), call);
	if (call)
		return call;
	call = calloc(1, sizeof(*call));
	if (!call)
		return NULL;
	call->key = *key;
	call->number = HASH_COUNT(*calls);
	HASH_ADD(hh, *calls, key, sizeof(*key), call);
	if (!call->hh.tbl) {
		free(call);
		return NULL;
	}
	return call;
}

/* Adds the blocks of one stack to each call of it. */
static void stack_count(struct call **calls, const struct summary *summary,
			const struct holder *holder, struct symbols *symbols)
{
	size_t depth = stack_depth(summary, holder->key);
	struct call *call = NULL;

	for (size_t i = depth ? depth : 1; i-- > 0;) {
		struct call_key key = {
			call ? call->number : OUTERMOST,
			stack_frame_mix(summary, holder->key, i, symbols),
		};

		call = call_find(calls, &key);
		if (!call)
			return;
		call->stack = holder->key;
		call->frame = i;
		call->bytes += holder->bytes;
		call->blocks += holder->blocks;
	}
}

static json_t *call_json(const struct call *call, json_int_t parent,
			 const struct summary *summary, struct symbols *symbols)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE] = "";

	if (stack_depth(summary, call->stack))
		stack_frame(summary, call->stack, call->frame, symbols, file,
			    function);
	else
		strcpy(file, no_stack);
	return json_pack("[I,s,s,I,I]", parent, file, function,
			 (json_int_t)call->bytes, (json_int_t)call->blocks);
}

/* A call comes after what it was called by, which holds as much or more. */
static json_t *calls_json(struct call *calls, uint64_t least,
			  const struct summary *summary,
			  struct symbols *symbols)
{
	json_int_t *shown =
		calloc(HASH_COUNT(calls) + (size_t)1, sizeof(*shown));
	json_t *list = json_array();
	struct call *call, *next;
	json_int_t parent;

	HASH_ITER (hh, calls, call, next) {
		if (!shown || !call->bytes || call->bytes < least)
			continue;
		parent = call->key.parent;
		shown[call->number] = (json_int_t)json_array_size(list);
		json_array_append_new(
			list,
			call_json(call,
				  parent == OUTERMOST ? parent : shown[parent],
				  summary, symbols));
	}
	free(shown);
	return list;
}

json_t *flame_json(const struct summary *summary,
		   const struct device_summary *device, struct symbols *symbols)
{
	struct call *calls = NULL, *call, *next;
	json_t *json;

	if (!summary->stack_count)
		return NULL;
	for (size_t i = 0; i < device->stacks.count; i++)
		stack_count(&calls, summary, &device->stacks.at[i], symbols);
	json = calls_json(calls, device->peak / LEAST_PART, summary, symbols);
	HASH_ITER (hh, calls, call, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(calls, call);
		free(call);
	}
	return json;
}
