/* How many registers a function may take. Nobody allocates any here, so it is
 * an estimate: as many as have values at once that are used further down. */
#include "registers.h"

#include <stdlib.h>

/* LOOPS_MOST: an estimate need not see all loops of a large function. OTHERS:
 * what a compiler takes besides, for addresses and calls. */
enum { LOOPS_MOST = 64, OTHERS = 4 };

struct life {
	size_t first, last; /* instructions, plus 1; 0: it is not used */
};

static void operand_note(struct life *lives, const struct ptx_operand *operand,
			 size_t at)
{
	if (operand->kind == PTX_REGISTER) {
		struct life *life = &lives[operand->reg];

		if (!life->first)
			life->first = at;
		life->last = at;
	}
	for (unsigned int i = 0; i < operand->count; i++)
		operand_note(lives, &operand->items[i], at);
}

/* What comes into a loop and is used there is needed until the loop ends. */
static void loop_extend(struct life *lives, size_t count, size_t begin,
			size_t end)
{
	for (size_t i = 0; i < count; i++)
		if (lives[i].first && lives[i].first <= begin &&
		    lives[i].last > begin && lives[i].last < end)
			lives[i].last = end;
}

static void loops_follow(const struct ptx_function *function,
			 struct life *lives)
{
	unsigned int loops = 0;

	for (size_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *ins = &function->code[i];
		const struct ptx_operand *to = ins->operands;

		if (ins->operand_count != 1 || to->kind != PTX_LABEL ||
		    !to->label || to->label->at > i || ++loops > LOOPS_MOST)
			continue;
		loop_extend(lives, function->register_count, to->label->at,
			    i + 1);
	}
}

static int units_of(enum ptx_type type)
{
	return type == PTX_PRED ? 0 : ((int)ptx_type_bytes(type) + 3) / 4;
}

static unsigned int peak_of(const struct ptx_function *function,
			    const struct life *lives, int *changes)
{
	int now = 0, most = 0;

	for (size_t i = 0; i < function->register_count; i++) {
		int units = units_of(function->registers[i]);

		changes[lives[i].first] += units;
		changes[lives[i].last] -= units;
	}
	for (size_t i = 1; i <= function->code_count; i++) {
		now += changes[i];
		most = now > most ? now : most;
	}
	return (unsigned int)most;
}

unsigned int ptx_registers(const struct ptx_function *function)
{
	struct life *lives =
		calloc(function->register_count + 1, sizeof(*lives));
	int *changes = calloc(function->code_count + 1, sizeof(*changes));
	unsigned int peak = 0;

	for (size_t i = 0; lives && i < function->code_count; i++) {
		const struct ptx_instruction *ins = &function->code[i];

		for (unsigned int k = 0; k < ins->operand_count; k++)
			operand_note(lives, &ins->operands[k], i + 1);
	}
	if (lives && changes) {
		loops_follow(function, lives);
		peak = peak_of(function, lives, changes);
	}
	free(lives);
	free(changes);
	return peak + OTHERS;
}
