#include "stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "holders.h"

enum { WIDTH_MOST = 24 };

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

/* The innermost one that is no allocator's, or the innermost. */
static void frame_choose(const struct call_stack *stack,
			 struct symbols *symbols, struct named_holder *named)
{
	struct frame_names names;
	size_t i = 0;

	do
		frame_name(stack, i, symbols, &names);
	while (is_allocator(names.file) && ++i < stack->count);
	if (i == stack->count)
		frame_name(stack, 0, symbols, &names);
	memcpy(named->file, names.file, sizeof(names.file));
	memcpy(named->function, names.function, sizeof(names.function));
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
			frame_choose(stack, symbols, &named[i]);
		else
			strcpy(named[i].file, "(no stack)");
	}
	*count = named ? holders_merge(named, holders->count) : 0;
	return named;
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
	const struct holders *holders = &device->stacks;
	char bytes[TEXT_BYTES_SIZE];
	const struct call_stack *stack;

	for (size_t i = 0; i < holders->count; i++) {
		stack = stack_of(summary, holders->at[i].key);
		printf("  %s in %" PRIu64 " blocks %s\n",
		       text_bytes((int64_t)holders->at[i].bytes, bytes),
		       holders->at[i].blocks,
		       stack ? "asked for by" : "have no stack");
		if (stack)
			stack_print(stack, symbols);
	}
}

json_t *stacks_json(const struct summary *summary,
		    const struct device_summary *device,
		    struct symbols *symbols)
{
	const struct holders *holders = &device->stacks;
	json_t *list = json_array(), *frames;
	struct frame_names names;

	for (size_t i = 0; summary->stack_count && i < holders->count; i++) {
		const struct holder *holder = &holders->at[i];
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
	return list;
}
