#include "pickle.h"

#include <stdlib.h>
#include <string.h>

#include "pickle_machine.h"

enum {
	ITEMS_MOST = 1 << 30,    /* of a list */
	KEYS_MOST = 64,          /* of a dict that is looked through */
	PROGRESS_EACH = 1 << 16, /* opcodes */
};

const char pickle_no_memory[] = "no memory to read it";
const char pickle_cut_off[] = "it breaks off";
static const char too_few[] = "too few values lie on the stack";

bool pickle_grow(void **array, size_t *room, size_t least, size_t each)
{
	size_t more = 2 * *room > least ? 2 * *room : least;
	void *grown;

	if (least <= *room)
		return true;
	grown = realloc(*array, more * each);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

const char *pickle_push(struct pickle_stack *stack, uint32_t number)
{
	if (!pickle_grow((void **)&stack->at, &stack->room, stack->count + 1,
			 sizeof(*stack->at)))
		return pickle_no_memory;
	stack->at[stack->count++] = number;
	return NULL;
}

/* Adds a value that is on no stack. */
const char *pickle_add(struct pickle *pickle, struct pickle_value value)
{
	if (pickle->count == PICKLE_VALUES_MOST)
		return "it has more than 134217728 values";
	if (!pickle_grow((void **)&pickle->values, &pickle->room,
			 pickle->count + 1, sizeof(*pickle->values)))
		return pickle_no_memory;
	pickle->values[pickle->count++] = value;
	return NULL;
}

/* Values that lie above a place of the stack become items of a value. */
static const char *items_move(struct pickle_machine *machine, uint32_t number,
			      size_t place)
{
	struct pickle_value *value = &machine->pickle->values[number];
	size_t count = machine->stack.count - place, room = value->room;

	if (value->count + count > ITEMS_MOST)
		return "a list is too long";
	if (count && !pickle_grow((void **)&value->items, &room,
				  value->count + count, sizeof(*value->items)))
		return pickle_no_memory;
	value->room = (uint32_t)room;
	if (count)
		memcpy(value->items + value->count, machine->stack.at + place,
		       count * sizeof(*value->items));
	value->count += (uint32_t)count;
	machine->stack.count = place;
	return NULL;
}

/* The place in the stack of the last mark, which goes. */
static const char *mark_take(struct pickle_machine *machine, size_t *place)
{
	if (!machine->marks.count)
		return "there is no mark on the stack";
	*place = machine->marks.at[--machine->marks.count];
	return machine->stack.count < *place ? too_few : NULL;
}

/* What lies above a place becomes one value. */
static const char *collect_at(struct pickle_machine *machine,
			      enum pickle_kind kind, size_t place)
{
	struct pickle *pickle = machine->pickle;
	const char *wrong;

	if (kind == PICKLE_DICT && (machine->stack.count - place) % 2)
		return "a key has no value";
	wrong = pickle_add(pickle, (struct pickle_value){.kind = kind});
	if (!wrong)
		wrong = items_move(machine, (uint32_t)pickle->count - 1, place);
	return wrong ? wrong
		     : pickle_push(&machine->stack,
				   (uint32_t)pickle->count - 1);
}

static const char *collect(struct pickle_machine *machine,
			   enum pickle_kind kind)
{
	size_t place;
	const char *wrong = mark_take(machine, &place);

	return wrong ? wrong : collect_at(machine, kind, place);
}

static const char *collect_some(struct pickle_machine *machine, size_t count)
{
	if (machine->stack.count < count)
		return too_few;
	return collect_at(machine, PICKLE_LIST, machine->stack.count - count);
}

/* What lies above a place is added to the value below. */
static const char *add_at(struct pickle_machine *machine, enum pickle_kind kind,
			  size_t place)
{
	uint32_t below;

	if (!place || machine->stack.count < place)
		return too_few;
	below = machine->stack.at[place - 1];
	if (machine->pickle->values[below].kind != kind)
		return "something is added to what is no list or dict";
	if (kind == PICKLE_DICT && (machine->stack.count - place) % 2)
		return "a key has no value";
	return items_move(machine, below, place);
}

static const char *add(struct pickle_machine *machine, enum pickle_kind kind)
{
	size_t place;
	const char *wrong = mark_take(machine, &place);

	return wrong ? wrong : add_at(machine, kind, place);
}

static const char *add_some(struct pickle_machine *machine,
			    enum pickle_kind kind, size_t count)
{
	if (machine->stack.count < count)
		return too_few;
	return add_at(machine, kind, machine->stack.count - count);
}

static const char *pop(struct pickle_machine *machine)
{
	struct pickle_stack *stack = &machine->stack, *marks = &machine->marks;

	if (marks->count && marks->at[marks->count - 1] == stack->count) {
		marks->count--;
		return NULL;
	}
	if (!stack->count)
		return too_few;
	stack->count--;
	return NULL;
}

static const char *pop_to_mark(struct pickle_machine *machine)
{
	size_t place;
	const char *wrong = mark_take(machine, &place);

	if (!wrong)
		machine->stack.count = place;
	return wrong;
}

static const char *duplicate(struct pickle_machine *machine)
{
	struct pickle_stack *stack = &machine->stack;

	return stack->count ? pickle_push(stack, stack->at[stack->count - 1])
			    : too_few;
}

static const char *memo_put(struct pickle_machine *machine, uint64_t index)
{
	struct pickle_stack *memo = &machine->memo;
	size_t before = memo->room;

	if (!machine->stack.count)
		return too_few;
	/* As each that is put takes a byte and more. */
	if (index >= machine->size)
		return "the number of something to be remembered is too large";
	if (!pickle_grow((void **)&memo->at, &memo->room, index + 1,
			 sizeof(*memo->at)))
		return pickle_no_memory;
	memset(memo->at + before, 0, (memo->room - before) * sizeof(*memo->at));
	machine->memoized += !memo->at[index];
	memo->at[index] = machine->stack.at[machine->stack.count - 1] + 1;
	return NULL;
}

static const char *memo_get(struct pickle_machine *machine, uint64_t index)
{
	struct pickle_stack *memo = &machine->memo;

	if (index >= memo->room || !memo->at[index])
		return "something is used that was not remembered";
	return pickle_push(&machine->stack, memo->at[index] - 1);
}

/* Puts or gets what has a number of so many bytes, or one in a line. */
static const char *memo_use(struct pickle_machine *machine, int bytes,
			    const char *(*use)(struct pickle_machine *machine,
					       uint64_t index))
{
	uint64_t index;
	const char *wrong = pickle_index(machine, bytes, &index);

	return wrong ? wrong : use(machine, index);
}

static const char *end(struct pickle_machine *machine)
{
	if (!machine->stack.count)
		return too_few;
	machine->pickle->root = machine->stack.at[machine->stack.count - 1];
	machine->done = true;
	return NULL;
}

/* The opcodes, as pickletools.py of Python lists them: what follows them is a
 * value. */
static const char *literal(struct pickle_machine *machine, uint8_t opcode)
{
	/* clang-format off */
	switch (opcode) {
	case 0x80: return pickle_protocol(machine);
	case 0x95: return pickle_skip(machine, 8); /* FRAME */
	case 0x88: return pickle_push_number(machine, 1);
	case 0x89: return pickle_push_number(machine, 0);
	case 'I': case 'L': return pickle_push_line_number(machine);
	case 'J': return pickle_push_fixed(machine, 4, true);
	case 'K': return pickle_push_fixed(machine, 1, false);
	case 'M': return pickle_push_fixed(machine, 2, false);
	case 0x8a: return pickle_push_long(machine, 1);
	case 0x8b: return pickle_push_long(machine, 4);
	case 'F': return pickle_push_line_other(machine);
	case 'G': return pickle_push_other(machine, 8);
	case 'S': return pickle_push_line_text(machine, true);
	case 'V': return pickle_push_line_text(machine, false);
	case 'U': case 'C': case 0x8c: return pickle_push_text(machine, 1);
	case 'T': case 'B': case 'X': return pickle_push_text(machine, 4);
	case 0x8d: case 0x8e: case 0x96: return pickle_push_text(machine, 8);
	case ']': case ')': case 0x8f: return pickle_push_empty(machine, PICKLE_LIST);
	case '}': return pickle_push_empty(machine, PICKLE_DICT);
	case 'c': case 'R': case 'b': case 'i': case 'o': case 'P': case 'Q':
	case 0x81: case 0x82: case 0x83: case 0x84: case 0x92: case 0x93:
	case 0x97: case 0x98:
		return "it would call code, which is not done";
	default: return "it is no pickle";
	}
	/* clang-format on */
}

/* And those that use what lies on the stack. */
static const char *step(struct pickle_machine *machine, uint8_t opcode)
{
	struct pickle_stack *stack = &machine->stack;

	/* clang-format off */
	switch (opcode) {
	case '.': return end(machine);
	case '(': return pickle_push(&machine->marks, (uint32_t)stack->count);
	case '0': return pop(machine);
	case '1': return pop_to_mark(machine);
	case '2': return duplicate(machine);
	case 'N': return pickle_push(stack, 0);
	case 'l': case 't': case 0x91: return collect(machine, PICKLE_LIST);
	case 'd': return collect(machine, PICKLE_DICT);
	case 0x85: return collect_some(machine, 1);
	case 0x86: return collect_some(machine, 2);
	case 0x87: return collect_some(machine, 3);
	case 'a': return add_some(machine, PICKLE_LIST, 1);
	case 's': return add_some(machine, PICKLE_DICT, 2);
	case 'e': case 0x90: return add(machine, PICKLE_LIST);
	case 'u': return add(machine, PICKLE_DICT);
	case 'g': return memo_use(machine, 0, memo_get);
	case 'h': return memo_use(machine, 1, memo_get);
	case 'j': return memo_use(machine, 4, memo_get);
	case 'p': return memo_use(machine, 0, memo_put);
	case 'q': return memo_use(machine, 1, memo_put);
	case 'r': return memo_use(machine, 4, memo_put);
	case 0x94: return memo_put(machine, machine->memoized);
	default: return literal(machine, opcode);
	}
	/* clang-format on */
}

static const char *steps(struct pickle_machine *machine)
{
	struct pickle *pickle = machine->pickle;
	const char *wrong = NULL;

	for (uint32_t i = 1; !wrong && !machine->done; i++) {
		pickle->at = machine->next;
		if (machine->next == machine->size)
			return pickle_cut_off;
		wrong = step(machine, machine->bytes[machine->next++]);
		if (pickle->progress && i % PROGRESS_EACH == 0)
			pickle->progress(pickle->argument, machine->next);
	}
	return wrong;
}

const char *pickle_read(struct pickle *pickle, const uint8_t *bytes,
			size_t size)
{
	struct pickle_machine machine = {
		.pickle = pickle, .bytes = bytes, .size = size};
	const char *wrong =
		pickle_add(pickle, (struct pickle_value){.kind = PICKLE_NONE});

	for (int i = 0; !wrong && i < PICKLE_SHARED - 1; i++)
		wrong = pickle_add(pickle,
				   (struct pickle_value){.kind = PICKLE_NUMBER,
							 .number = i});
	if (!wrong)
		wrong = steps(&machine);
	free(machine.stack.at);
	free(machine.marks.at);
	free(machine.memo.at);
	return wrong;
}

void pickle_release(struct pickle *pickle)
{
	for (size_t i = 0; i < pickle->count; i++)
		if (pickle->values[i].kind >= PICKLE_LIST)
			free(pickle->values[i].items);
	free(pickle->values);
}

const struct pickle_value *pickle_item(const struct pickle *pickle,
				       const struct pickle_value *list,
				       uint32_t i)
{
	return &pickle->values[list->items[i]];
}

const struct pickle_value *pickle_field(const struct pickle *pickle,
					const struct pickle_value *dict,
					const char *key)
{
	size_t length = strlen(key);

	if (!dict || dict->kind != PICKLE_DICT || dict->count > 2 * KEYS_MOST)
		return NULL;
	for (uint32_t i = 0; i + 1 < dict->count; i += 2) {
		const struct pickle_value *found = pickle_item(pickle, dict, i);

		if (found->kind == PICKLE_TEXT && found->count == length &&
		    !memcmp(found->text, key, length))
			return pickle_item(pickle, dict, i + 1);
	}
	return NULL;
}
