#include "eh_frame.h"

#include <string.h>

enum {
	PC_RELATIVE = 0x10,
	SIGNED_4 = 0x0b,
	TABLE = 0x3b, /* 4 bytes each, signed, from the table's start */
	REMEMBERED = 8,
	BREG = 0x70, /* expressions: a register and an offset; what is there */
	DEREF = 0x06,
};

/* What is read: the next byte, and the end of what may be. */
struct cursor {
	const uint8_t *at, *end;
	bool wrong;
};

static const uint8_t *take(struct cursor *from, uint64_t size)
{
	const uint8_t *at = from->at;

	if (from->wrong || size > (uint64_t)(from->end - at)) {
		from->wrong = true;
		return NULL;
	}
	from->at += size;
	return at;
}

static uint64_t unsigned_of(struct cursor *from, size_t size)
{
	const uint8_t *at = take(from, size);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, size);
	return number;
}

static int64_t signed_4(struct cursor *from)
{
	return (int32_t)unsigned_of(from, 4);
}

static uint64_t number(struct cursor *from, unsigned int *bits)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (*bits = 0; byte & 0x80 && !from->wrong; *bits += 7) {
		byte = (uint8_t)unsigned_of(from, 1);
		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
	}
	return value;
}

static uint64_t uleb(struct cursor *from)
{
	unsigned int bits;

	return number(from, &bits);
}

static int64_t sleb(struct cursor *from)
{
	unsigned int bits;
	uint64_t value = number(from, &bits);

	if (bits && bits < 64 && value >> (bits - 1))
		value |= -(UINT64_C(1) << bits);
	return (int64_t)value;
}

/* The bytes of a pointer in that encoding; 0: it is none that is known. */
static size_t pointer_size(unsigned int encoding)
{
	static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0,
					  0, 0, 2, 4, 8, 0, 0, 0};

	return sizes[encoding & 0xf];
}

/* What the functions of one compilation have in common. */
struct common {
	uint64_t code_unit;
	int64_t data_unit;
	unsigned int encoding; /* of pointers */
	bool has_more, is_signal;
	struct cursor program;
};

static bool common_read(struct cursor from, struct common *common)
{
	uint64_t length = unsigned_of(&from, 4), extra;
	const uint8_t *end;
	const char *letters;
	unsigned int version;

	if (from.wrong || length > (uint64_t)(from.end - from.at))
		return false;
	from.end = from.at + length;
	if (unsigned_of(&from, 4)) /* it is a function's */
		return false;
	version = (unsigned int)unsigned_of(&from, 1);
	letters = (const char *)from.at;
	end = from.wrong ? NULL
			 : memchr(from.at, 0, (size_t)(from.end - from.at));
	if (!end || (version != 1 && version != 3))
		return false;
	from.at = end + 1;
	common->code_unit = uleb(&from);
	common->data_unit = sleb(&from);
	if ((version == 1 ? unsigned_of(&from, 1) : uleb(&from)) !=
	    REGISTER_RETURN)
		return false;
	common->has_more = *letters == 'z';
	extra = common->has_more ? uleb(&from) : 0;
	common->program = from;
	take(&common->program, extra);
	for (letters += common->has_more; *letters; letters++) {
		if (*letters == 'R')
			common->encoding = (unsigned int)unsigned_of(&from, 1);
		else if (*letters == 'L')
			take(&from, 1);
		else if (*letters == 'P')
			take(&from,
			     pointer_size((unsigned int)unsigned_of(&from, 1)));
		else if (*letters == 'S')
			common->is_signal = true;
		else if (*letters != 'B')
			return false;
	}
	return !from.wrong && !common->program.wrong;
}

/* Finds the function's entry in the sorted table. */
static bool entry_find(const struct eh_module *module, uint64_t pc,
		       struct cursor *entry)
{
	struct cursor table = {module->table, module->last, false};
	int64_t offset = (int64_t)(pc - (uintptr_t)module->table);
	const uint8_t *head = take(&table, 4), *rows;
	uint64_t count, low = 0, high;
	int32_t row[2];

	if (!head || head[0] != 1 || head[2] != 3 || head[3] != TABLE)
		return false;
	take(&table, pointer_size(head[1]));
	count = high = unsigned_of(&table, 4);
	rows = take(&table, count * sizeof(row));
	if (!rows)
		return false;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		memcpy(row, rows + middle * sizeof(row), sizeof(row));
		if (row[0] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	memcpy(row, rows + (low - 1) * sizeof(row), sizeof(row));
	*entry = (struct cursor){module->table + row[1], module->last, false};
	return entry->at >= module->first && entry->at < module->last;
}

struct state {
	struct eh_rule rule, initial, remembered[REMEMBERED];
	const struct common *common;
	unsigned int depth;
	uint64_t pc; /* of the instructions that follow */
};

static void saved_set(struct state *state, uint64_t reg, bool saved, int64_t at)
{
	if (reg == REGISTER_FRAME) {
		state->rule.frame_is_saved = saved;
		state->rule.by_itself = false;
		state->rule.frame_at = at;
	} else if (reg == REGISTER_RETURN) {
		state->rule.return_is_saved = saved;
		state->rule.return_at = at;
	}
}

static void restore(struct state *state, uint64_t reg)
{
	const struct eh_rule *initial = &state->initial;

	if (reg == REGISTER_FRAME)
		saved_set(state, reg, initial->frame_is_saved,
			  initial->frame_at);
	else
		saved_set(state, reg, initial->return_is_saved,
			  initial->return_at);
}

static void base_set(struct state *state, uint64_t reg)
{
	state->rule.is_unknown = reg != REGISTER_FRAME && reg != REGISTER_STACK;
	state->rule.base = (unsigned int)reg;
	state->rule.indirect = false;
}

/* As compilers write for functions that align their stack: what lies at an
 * offset to a register. */
static void expression_read(struct state *state, struct cursor *from)
{
	uint64_t size = uleb(from);
	struct cursor block = {from->at, from->at + size, false};
	uint64_t code;

	if (!take(from, size))
		return;
	code = unsigned_of(&block, 1);
	base_set(state, code - BREG);
	state->rule.offset = sleb(&block);
	state->rule.indirect = unsigned_of(&block, 1) == DEREF;
	state->rule.is_unknown |=
		!state->rule.indirect || block.wrong || block.at != block.end;
}

/* The same functions save the frame's register at an offset to itself. */
static void saved_by_expression(struct state *state, struct cursor *from)
{
	uint64_t reg = uleb(from), size = uleb(from);
	struct cursor block = {from->at, from->at + size, false};

	if (!take(from, size) || reg != REGISTER_FRAME)
		return;
	state->rule.is_unknown |=
		unsigned_of(&block, 1) != BREG + REGISTER_FRAME;
	saved_set(state, reg, true, sleb(&block));
	state->rule.by_itself = true;
	state->rule.is_unknown |= block.wrong || block.at != block.end;
}

/* An instruction of those with a byte of their own. Returns false if it is not
 * known. */
static bool extended_run(struct state *state, unsigned int code,
			 struct cursor *from)
{
	const uint64_t unit = (uint64_t)state->common->data_unit;
	uint64_t reg;

	switch (code) {
	case 0x00: /* nothing */
	case 0x2d: /* the return address is signed, or not any more */
		return true;
	case 0x02: /* from later code on */
	case 0x03:
	case 0x04:
		state->pc += unsigned_of(from, 1U << (code - 2)) *
			     state->common->code_unit;
		return true;
	case 0x05: /* saved at */
		reg = uleb(from);
		saved_set(state, reg, true, (int64_t)(uleb(from) * unit));
		return true;
	case 0x11:
		reg = uleb(from);
		saved_set(state, reg, true,
			  (int64_t)((uint64_t)sleb(from) * unit));
		return true;
	case 0x06:
		restore(state, uleb(from));
		return true;
	case 0x07: /* there is none: of the return address, nobody has called */
		state->rule.is_last |= uleb(from) == REGISTER_RETURN;
		return true;
	case 0x08: /* as it is */
		saved_set(state, uleb(from), false, 0);
		return true;
	case 0x09: /* in another register */
		reg = uleb(from);
		uleb(from);
		return reg != REGISTER_FRAME && reg != REGISTER_RETURN;
	case 0x0a:
		if (state->depth == REMEMBERED)
			return false;
		state->remembered[state->depth++] = state->rule;
		return true;
	case 0x0b:
		if (!state->depth)
			return false;
		state->rule = state->remembered[--state->depth];
		return true;
	case 0x0c: /* the caller's stack pointer is */
		base_set(state, uleb(from));
		state->rule.offset = (int64_t)uleb(from);
		return true;
	case 0x12:
		base_set(state, uleb(from));
		state->rule.offset = (int64_t)((uint64_t)sleb(from) * unit);
		return true;
	case 0x0d:
		base_set(state, uleb(from));
		return true;
	case 0x0e:
		state->rule.offset = (int64_t)uleb(from);
		return true;
	case 0x13:
		state->rule.offset = (int64_t)((uint64_t)sleb(from) * unit);
		return true;
	case 0x0f:
		expression_read(state, from);
		return true;
	case 0x10: /* saved at an expression */
		saved_by_expression(state, from);
		return true;
	case 0x16: /* a register by an expression */
		state->rule.is_unknown |= uleb(from) == REGISTER_FRAME;
		take(from, uleb(from));
		return true;
	case 0x2e: /* bytes of arguments */
		uleb(from);
		return true;
	default:
		return false;
	}
}

/* Runs instructions up to those for code behind pc. */
static bool program_run(struct state *state, struct cursor from, uint64_t pc)
{
	while (from.at < from.end && !from.wrong) {
		unsigned int code = (unsigned int)unsigned_of(&from, 1);
		unsigned int low = code & 0x3f;

		if (code >> 6 == 1)
			state->pc += low * state->common->code_unit;
		else if (code >> 6 == 2)
			saved_set(
				state, low, true,
				(int64_t)(uleb(&from) *
					  (uint64_t)state->common->data_unit));
		else if (code >> 6 == 3)
			restore(state, low);
		else if (!extended_run(state, code, &from))
			return false;
		if (state->pc > pc)
			return true;
	}
	return !from.wrong;
}

/* Reads where the function begins and ends. */
static bool function_read(struct cursor *from, const struct common *common,
			  uint64_t pc, uint64_t *start)
{
	uint64_t at = (uintptr_t)from->at, size;

	/* Other encodings are of other systems. */
	if (common->encoding != (PC_RELATIVE | SIGNED_4))
		return false;
	*start = at + (uint64_t)signed_4(from);
	size = unsigned_of(from, 4);
	if (common->has_more)
		take(from, uleb(from));
	return !from->wrong && pc >= *start && pc - *start < size;
}

bool eh_frame_find(const struct eh_module *module, uint64_t pc,
		   struct eh_rule *rule)
{
	struct common common = {0};
	struct state state = {.common = &common};
	struct cursor entry, from;
	uint64_t length, back;

	if (!module->table || !entry_find(module, pc, &entry))
		return false;
	length = unsigned_of(&entry, 4);
	if (entry.wrong || length > (uint64_t)(entry.end - entry.at))
		return false;
	from = (struct cursor){entry.at, entry.at + length, false};
	back = unsigned_of(&from, 4);
	if (from.wrong || !back ||
	    back > (uint64_t)(entry.at - module->first) ||
	    !common_read((struct cursor){entry.at - back, module->last, false},
			 &common) ||
	    common.is_signal || !function_read(&from, &common, pc, &state.pc))
		return false;
	back = state.pc;
	state.pc = 0; /* the common ones are for all code */
	if (!program_run(&state, common.program, UINT64_MAX))
		return false;
	state.initial = state.rule;
	state.pc = back;
	if (!program_run(&state, from, pc) || state.rule.is_unknown)
		return false;
	*rule = state.rule;
	return true;
}
