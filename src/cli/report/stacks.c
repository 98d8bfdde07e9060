#include "stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "holders.h"

enum { WIDTH_MOST = 24, SHOWN = 15 };

/* The libraries whose functions ask for what others have asked them for, by how
 * the names of their files begin. */
static const char *const allocators[] = {"libmnm", "libcuda", "libc10_cuda",
					 "librmm", NULL};

struct frame_names {
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
};

static bool is_allocator(const char *file)
{
	const char *const *name = allocators;

	while (*name && strncmp(file, *name, strlen(*name)) != 0)
		name++;
	return *name;
}

/* Returns NULL for what has no stack. */
static const struct call_stack *stack_of(const struct summary *summary,
					 uint64_t number)
{
	return number && number < summary->stack_count &&
			       summary->stacks[number].count
		       ? &summary->stacks[number]
		       : NULL;
}

size_t stack_depth(const struct summary *summary, uint64_t number)
{
	const struct call_stack *stack = stack_of(summary, number);

	return stack ? stack->count : 0;
}

void stack_frame(const struct summary *summary, uint64_t number, size_t frame,
		 struct symbols *symbols, char file[HOLDER_NAME_SIZE],
		 char function[HOLDER_NAME_SIZE])
{
	site_names(symbols, stack_of(summary, number)->frames[frame], file,
		   function);
}

static void frame_name(const struct call_stack *stack, size_t i,
		       struct symbols *symbols, struct frame_names *names)
{
	site_names(symbols, stack->frames[i], names->file, names->function);
}

uint64_t stack_asker(const uint64_t *frames, size_t count,
		     struct symbols *symbols)
{
	struct frame_names names;

	for (size_t i = 0; i < count; i++)
		if (symbols_given(symbols, frames[i]))
			return frames[i];
	for (size_t i = 0; i < count; i++) {
		site_names(symbols, frames[i], names.file, names.function);
		if (!is_allocator(names.file))
			return frames[i];
	}
	return frames[0];
}

struct named_holder *stacks_name(const struct summary *summary,
				 const struct device_summary *device,
				 struct symbols *symbols, size_t *count)
{
	const struct holders *holders = &device->stacks;
	struct named_holder *named = calloc(holders->count + 1, sizeof(*named));

	for (size_t i = 0; named && i < holders->count; i++) {
		const struct call_stack *stack =
			stack_of(summary, holders->at[i].key);

		named[i].bytes = holders->at[i].bytes;
		named[i].blocks = holders->at[i].blocks;
		if (stack)
			site_names(symbols,
				   stack_asker(stack->frames, stack->count,
					       symbols),
				   named[i].file, named[i].function);
		else
			strcpy(named[i].file, "(no stack)");
	}
	*count = named ? holders_merge(named, holders->count) : 0;
	return named;
}

/* A stack, and a number that those of the same names have. */
struct same {
	uint64_t names;
	struct holder holder;
};

static uint64_t text_mix(uint64_t mix, const char *text)
{
	do
		mix = (mix ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++);
	return mix;
}

/* 64 bits tell apart the 32,768 stacks that a recording may have. */
static const uint64_t mix_begin = UINT64_C(0xcbf29ce484222325);

static uint64_t frame_mix(uint64_t mix, const struct call_stack *stack,
			  size_t frame, struct symbols *symbols)
{
	struct frame_names names;

	frame_name(stack, frame, symbols, &names);
	return text_mix(text_mix(mix, names.file), names.function);
}

uint64_t stack_frame_mix(const struct summary *summary, uint64_t number,
			 size_t frame, struct symbols *symbols)
{
	const struct call_stack *stack = stack_of(summary, number);

	return stack ? frame_mix(mix_begin, stack, frame, symbols) : 0;
}

static uint64_t names_mix(const struct call_stack *stack,
			  struct symbols *symbols)
{
	uint64_t mix = mix_begin;

	for (size_t i = 0; stack && i < stack->count; i++)
		mix = frame_mix(mix, stack, i, symbols);
	return mix;
}

static int by_names(const void *a, const void *b)
{
	const struct same *first = a, *second = b;

	return (first->names > second->names) - (first->names < second->names);
}

static int by_bytes(const void *a, const void *b)
{
	const struct same *first = a, *second = b;

	if (first->holder.bytes == second->holder.bytes)
		return first->holder.key < second->holder.key ? -1 : 1;
	return first->holder.bytes < second->holder.bytes ? 1 : -1;
}

/* Adds up neighbours of the same names. */
static size_t merge(struct same *list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && !by_names(&list[kept - 1], &list[i])) {
			list[kept - 1].holder.blocks += list[i].holder.blocks;
			list[kept - 1].holder.bytes += list[i].holder.bytes;
		} else {
			list[kept++] = list[i];
		}
	}
	return kept;
}

struct holders stacks_merge(const struct summary *summary,
			    const struct device_summary *device,
			    struct symbols *symbols)
{
	const struct holders *holders = &device->stacks;
	size_t count = holders->count;
	struct same *list = calloc(count + 1, sizeof(*list));
	struct holders merged = {
		.at = calloc(count + 1, sizeof(*merged.at)),
	};

	for (size_t i = 0; list && i < count; i++)
		list[i] = (struct same){
			names_mix(stack_of(summary, holders->at[i].key),
				  symbols),
			holders->at[i],
		};
	if (list && merged.at) {
		qsort(list, count, sizeof(*list), by_names);
		count = merge(list, count);
		qsort(list, count, sizeof(*list), by_bytes);
		for (; merged.count < count; merged.count++)
			merged.at[merged.count] = list[merged.count].holder;
	}
	free(list);
	return merged;
}

static void stack_print(const struct call_stack *stack, struct symbols *symbols)
{
	struct frame_names names;

	for (size_t i = 0; i < stack->count; i++) {
		frame_name(stack, i, symbols, &names);
		printf("    %-*s %s\n", WIDTH_MOST, names.file, names.function);
	}
}

void stacks_print(const struct summary *summary,
		  const struct device_summary *device, struct symbols *symbols)
{
	struct holders merged = stacks_merge(summary, device, symbols);
	size_t shown = merged.count <= SHOWN ? merged.count : SHOWN - 1;
	char bytes[TEXT_BYTES_SIZE];
	struct holder rest = {0};

	for (size_t i = 0; i < merged.count; i++) {
		const struct holder *holder = &merged.at[i];
		const struct call_stack *stack = stack_of(summary, holder->key);

		if (i >= shown) {
			rest.bytes += holder->bytes;
			rest.blocks += holder->blocks;
			continue;
		}
		printf("  %s in %" PRIu64 " blocks %s\n",
		       text_bytes((int64_t)holder->bytes, bytes),
		       holder->blocks,
		       stack ? "asked for by" : "have no stack");
		if (stack)
			stack_print(stack, symbols);
	}
	if (shown < merged.count)
		printf("  %s in %" PRIu64 " blocks asked for by %zu other "
		       "stacks; --json has all\n",
		       text_bytes((int64_t)rest.bytes, bytes), rest.blocks,
		       merged.count - shown);
	free(merged.at);
}

json_t *stacks_json(const struct summary *summary,
		    const struct device_summary *device,
		    struct symbols *symbols)
{
	struct holders merged = stacks_merge(summary, device, symbols);
	json_t *list = json_array(), *frames;
	struct frame_names names;

	for (size_t i = 0; summary->stack_count && i < merged.count; i++) {
		const struct holder *holder = &merged.at[i];
		const struct call_stack *stack = stack_of(summary, holder->key);

		frames = json_array();
		for (size_t j = 0; stack && j < stack->count; j++) {
			frame_name(stack, j, symbols, &names);
			json_array_append_new(frames,
					      json_pack("{s:s,s:s}", "file",
							names.file, "function",
							names.function));
		}
		json_array_append_new(
			list, json_pack("{s:I,s:I,s:o}", "bytes",
					(json_int_t)holder->bytes, "blocks",
					(json_int_t)holder->blocks, "frames",
					frames));
	}
	free(merged.at);
	return list;
}
