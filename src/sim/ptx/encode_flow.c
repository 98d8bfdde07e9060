/* Jumps and calls. */
#include <string.h>

#include "encode.h"

static void step_emit(struct ptx_encoder *encoder, enum ptx_step step)
{
	ptx_encode_emit(encoder, NULL)->step = (uint8_t)step;
}

static const struct ptx_label *label_read(struct ptx_encoder *encoder,
					  unsigned int i)
{
	const struct ptx_operand *operand = ptx_encode_operand(encoder, i);

	if (operand->kind != PTX_LABEL || !operand->label)
		ptx_encode_unsupported(encoder);
	return operand->label;
}

static void branch(struct ptx_encoder *encoder)
{
	const struct ptx_label *label = label_read(encoder, 0);
	struct ptx_op *op;

	ptx_encode_mods(encoder, "uni");
	op = ptx_encode_emit(encoder, NULL);
	op->step = PTX_STEP_BRANCH;
	ptx_encode_fixup(encoder, op, NULL, label->at);
}

static void table(struct ptx_encoder *encoder)
{
	const struct ptx_label *label = label_read(encoder, 1);
	size_t bytes = label->target_count * sizeof(uint32_t);
	uint32_t a =
		ptx_encode_read(encoder, ptx_encode_operand(encoder, 0), 4);
	uint32_t *list = ptx_encode_get(encoder, bytes);
	struct ptx_op *op;

	ptx_encode_mods(encoder, "idx uni");
	op = ptx_encode_emit(encoder, NULL);
	op->step = PTX_STEP_TABLE;
	op->a = a;
	op->list = list;
	op->count = (uint32_t)label->target_count;
	for (size_t i = 0; i < label->target_count; i++)
		ptx_encode_fixup(encoder, op, &list[i],
				 label->targets[i].label->at);
}

void ptx_encode_return(struct ptx_encoder *encoder)
{
	struct ptx_op *op = ptx_encode_emit(encoder, NULL);

	op->step = encoder->routine ? PTX_STEP_RETURN : PTX_STEP_EXIT;
	op->target = encoder->routine;
}

/* Where a parameter is in a thread's memory. */
static struct ptx_piece piece_of(const struct ptx_encoder *encoder,
				 const struct ptx_symbol *symbol)
{
	return (struct ptx_piece){
		.place = (uint32_t)(encoder->program->thread_params +
				    encoder->reach.places[symbol->index]),
		.size = (uint32_t)symbol->size,
	};
}

static void copy_emit(struct ptx_encoder *encoder, struct ptx_piece to,
		      struct ptx_piece from)
{
	struct ptx_op *op = ptx_encode_emit(encoder, ptx_exec_param_copy);

	op->target = to.place;
	op->value = from.place;
	op->count = to.size < from.size ? to.size : from.size;
}

/* Between a parameter of the callee and a register of the caller. */
static void register_emit(struct ptx_encoder *encoder, struct ptx_piece piece,
			  const struct ptx_operand *operand, bool load)
{
	uint32_t *list = ptx_encode_get(encoder, 2 * sizeof(*list));
	uint32_t zero = ptx_encode_number(encoder, 8, 0);
	struct ptx_op *op;

	if (piece.size > 8 || !piece.size || piece.size & (piece.size - 1) ||
	    (load && operand->kind != PTX_REGISTER))
		ptx_encode_unsupported(encoder);
	list[1] = (uint32_t)ptx_encode_width(operand, piece.size);
	if (list[1] < piece.size)
		ptx_encode_unsupported(encoder);
	list[0] = load ? ptx_encode_write(encoder, operand, list[1])
		       : ptx_encode_read(encoder, operand, list[1]);
	op = ptx_encode_emit(encoder, load ? ptx_exec_load : ptx_exec_store);
	op->a = zero;
	op->value = piece.place;
	op->window = PTX_WINDOW_LOCAL;
	op->list = list;
	op->count = 2;
	op->bytes = (uint8_t)piece.size;
	op->type = PTX_B64;
}

static bool is_param(const struct ptx_operand *operand)
{
	return operand->kind == PTX_SYMBOL &&
	       operand->symbol->space == PTX_IN_PARAM &&
	       !operand->symbol->of_kernel;
}

/* One argument to a function's parameter, or a result back. */
static void pass_emit(struct ptx_encoder *encoder,
		      const struct ptx_symbol *formal,
		      const struct ptx_operand *actual, bool back)
{
	struct ptx_piece piece = piece_of(encoder, formal);

	if (actual->kind == PTX_NOTHING)
		return;
	if (!is_param(actual))
		register_emit(encoder, piece, actual, back);
	else if (back)
		copy_emit(encoder, piece_of(encoder, actual->symbol), piece);
	else
		copy_emit(encoder, piece, piece_of(encoder, actual->symbol));
}

struct call {
	const struct ptx_operand *results, *target, *args;
};

static struct call call_read(struct ptx_encoder *encoder)
{
	const struct ptx_instruction *ins = encoder->ins;
	struct call call = {0};
	unsigned int i = 0;

	ptx_encode_mods(encoder, "uni");
	if (i < ins->operand_count && ins->operands[i].kind == PTX_LIST)
		call.results = &ins->operands[i++];
	call.target = ptx_encode_operand(encoder, i++);
	if (i < ins->operand_count && ins->operands[i].kind == PTX_LIST)
		call.args = &ins->operands[i];
	return call;
}

static void passes_emit(struct ptx_encoder *encoder,
			const struct ptx_symbol *formal,
			const struct ptx_operand *actuals, bool back)
{
	for (unsigned int i = 0; actuals && i < actuals->count; i++) {
		if (!formal)
			ptx_encode_fail(encoder, "too many arguments");
		if (formal->space != PTX_IN_PARAM)
			ptx_encode_fail(encoder, "parameters in registers are "
						 "not supported");
		pass_emit(encoder, formal, &actuals->items[i], back);
		formal = formal->next;
	}
	if (formal)
		ptx_encode_fail(encoder, "too few arguments");
}

static uint32_t routine_of(const struct ptx_encoder *encoder,
			   const struct ptx_function *function)
{
	uint32_t i = 0;

	while (encoder->reach.functions[i] != function)
		i++;
	return i;
}

/* Whether a function may call another one, by whatever way. */
static bool leads_to(const struct ptx_encoder *encoder, size_t from, size_t to,
		     bool *seen)
{
	const struct ptx_function *function = encoder->reach.functions[from];

	if (from == to)
		return true;
	if (seen[from])
		return false;
	seen[from] = true;
	for (size_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *ins = &function->code[i];

		if (strcmp(ins->name, "call"))
			continue;
		for (unsigned int k = 0; k < ins->operand_count; k++) {
			const struct ptx_operand *at = &ins->operands[k];
			const struct ptx_function *next =
				at->kind == PTX_FUNCTION
					? ptx_function_real(at->function)
					: NULL;

			if (next && !next->entry &&
			    leads_to(encoder, routine_of(encoder, next), to,
				     seen))
				return true;
		}
	}
	return false;
}

static void recursion_check(struct ptx_encoder *encoder, uint32_t callee)
{
	bool *seen = ptx_encode_get(encoder, encoder->reach.function_count);

	if (leads_to(encoder, callee, encoder->routine, seen))
		ptx_encode_fail(encoder, "recursion is not supported");
}

/* What is there without code in the module. */
static void outside_call(struct ptx_encoder *encoder, const struct call *call,
			 const char *name)
{
	bool print = !strcmp(name, "vprintf");
	unsigned int most = print ? 2 : 3;
	uint32_t *list = ptx_encode_get(encoder, most * sizeof(*list));
	struct ptx_op *op;

	if (!print && strcmp(name, "__assertfail"))
		ptx_encode_fail(encoder, "the function '%.80s' is not here",
				name);
	if (!call->args || call->args->count < most)
		ptx_encode_fail(encoder, "too few arguments");
	for (unsigned int i = 0; i < most; i++) {
		const struct ptx_operand *at = &call->args->items[i];

		if (!is_param(at) || at->symbol->size != (i < 2 ? 8 : 4))
			ptx_encode_unsupported(encoder);
		list[i] = piece_of(encoder, at->symbol).place;
	}
	op = ptx_encode_emit(encoder, print ? ptx_exec_print : ptx_exec_assert);
	op->list = list;
	op->count = most;
}

/* By an address: which function it is shows when it runs. */
static void pointer_call(struct ptx_encoder *encoder, const struct call *call)
{
	unsigned int count = call->args ? call->args->count : 0;
	uint32_t *list = ptx_encode_get(encoder, 2 * count * sizeof(*list));
	uint32_t a = ptx_encode_read(encoder, call->target, 8);
	uint32_t callee = ptx_encode_slot(encoder, 4);
	struct ptx_piece piece;
	struct ptx_op *op;

	for (unsigned int i = 0; i < count; i++) {
		if (!is_param(&call->args->items[i]))
			ptx_encode_unsupported(encoder);
		piece = piece_of(encoder, call->args->items[i].symbol);
		list[2 * i] = piece.place;
		list[2 * i + 1] = piece.size;
	}
	op = ptx_encode_emit(encoder, NULL);
	op->step = PTX_STEP_POINTER;
	op->a = a;
	op->d = callee;
	op->list = list;
	op->count = 2 * count;
	if (!call->results || !call->results->count)
		return;
	if (!is_param(&call->results->items[0]))
		ptx_encode_unsupported(encoder);
	piece = piece_of(encoder, call->results->items[0].symbol);
	op = ptx_encode_emit(encoder, ptx_exec_result_copy);
	op->a = callee;
	op->value = piece.place;
	op->count = piece.size;
}

static void call_emit(struct ptx_encoder *encoder)
{
	struct call call = call_read(encoder);
	const struct ptx_function *function;
	struct ptx_op *op;
	uint32_t callee;

	if (call.target->kind == PTX_REGISTER) {
		pointer_call(encoder, &call);
		return;
	}
	if (call.target->kind != PTX_FUNCTION)
		ptx_encode_unsupported(encoder);
	function = ptx_function_real(call.target->function);
	if (!function->body) {
		outside_call(encoder, &call, function->name);
		return;
	}
	if (function->entry)
		ptx_encode_fail(encoder, "a call of the kernel '%.60s'",
				function->name);
	callee = routine_of(encoder, function);
	recursion_check(encoder, callee);
	passes_emit(encoder, function->params, call.args, false);
	op = ptx_encode_emit(encoder, NULL);
	op->step = PTX_STEP_CALL;
	op->target = callee;
	passes_emit(encoder, function->results, call.results, true);
}

bool ptx_encode_flow(struct ptx_encoder *encoder)
{
	static const char *const nothing[] = {"nanosleep",  "pmevent",
					      "brkpt",      "griddepcontrol",
					      "setmaxnreg", NULL};
	const char *name = encoder->ins->name;

	for (size_t i = 0; nothing[i]; i++)
		if (!strcmp(name, nothing[i]))
			return true;
	if (!strcmp(name, "bra"))
		branch(encoder);
	else if (!strcmp(name, "brx"))
		table(encoder);
	else if (!strcmp(name, "call"))
		call_emit(encoder);
	else if (!strcmp(name, "ret"))
		ptx_encode_return(encoder);
	else if (!strcmp(name, "exit"))
		step_emit(encoder, PTX_STEP_EXIT);
	else if (!strcmp(name, "trap"))
		step_emit(encoder, PTX_STEP_TRAP);
	else
		return false;
	return true;
}
