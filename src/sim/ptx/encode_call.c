/* Calls of functions. */
#include <string.h>

#include "encode.h"

/* Where a parameter is: in a frame that a delta tells. */
struct spot {
	struct ptx_piece piece;
	uint32_t delta;
};

static struct spot own_spot(const struct ptx_encoder *encoder,
			    const struct ptx_symbol *symbol)
{
	return (struct spot){ptx_encode_piece(encoder, symbol),
			     ptx_encode_delta(encoder)};
}

static void copy_emit(struct ptx_encoder *encoder, struct spot to,
		      struct spot from)
{
	struct ptx_op *op = ptx_encode_emit(encoder, ptx_exec_param_copy);

	op->target = to.piece.place;
	op->b = to.delta;
	op->value = from.piece.place;
	op->a = from.delta;
	op->count = to.piece.size < from.piece.size ? to.piece.size
						    : from.piece.size;
}

/* Between a parameter of the callee and a register of the caller. */
static void register_emit(struct ptx_encoder *encoder, struct spot spot,
			  const struct ptx_operand *operand, bool load)
{
	uint32_t *list = ptx_encode_get(encoder, 2 * sizeof(*list));
	uint32_t size = spot.piece.size;
	struct ptx_op *op;

	if (size > 8 || !size || size & (size - 1) ||
	    (load && operand->kind != PTX_REGISTER))
		ptx_encode_unsupported(encoder);
	list[1] = (uint32_t)ptx_encode_width(operand, size);
	if (list[1] < size)
		ptx_encode_unsupported(encoder);
	list[0] = load ? ptx_encode_write(encoder, operand, list[1])
		       : ptx_encode_read(encoder, operand, list[1]);
	op = ptx_encode_emit(encoder, load ? ptx_exec_load : ptx_exec_store);
	op->a = spot.delta;
	op->value = spot.piece.place;
	op->window = PTX_WINDOW_LOCAL;
	op->list = list;
	op->count = 2;
	op->bytes = (uint8_t)size;
	op->type = PTX_B64;
}

static bool is_param(const struct ptx_operand *operand)
{
	return operand->kind == PTX_SYMBOL &&
	       operand->symbol->space == PTX_IN_PARAM &&
	       !operand->symbol->of_kernel;
}

/* One argument to a function's parameter, or a result back. */
static void pass_emit(struct ptx_encoder *encoder, struct spot formal,
		      const struct ptx_operand *actual, bool back)
{
	if (actual->kind == PTX_NOTHING)
		return;
	if (!is_param(actual))
		register_emit(encoder, formal, actual, back);
	else if (back)
		copy_emit(encoder, own_spot(encoder, actual->symbol), formal);
	else
		copy_emit(encoder, formal, own_spot(encoder, actual->symbol));
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

static void passes_emit(struct ptx_encoder *encoder, uint32_t delta,
			const struct ptx_symbol *formal,
			const struct ptx_operand *actuals, bool back)
{
	for (unsigned int i = 0; actuals && i < actuals->count; i++) {
		if (!formal)
			ptx_encode_fail(encoder, "too many arguments");
		if (formal->space != PTX_IN_PARAM)
			ptx_encode_fail(encoder, "parameters in registers are "
						 "not supported");
		pass_emit(
			encoder,
			(struct spot){ptx_encode_piece(encoder, formal), delta},
			&actuals->items[i], back);
		formal = formal->next;
	}
	if (formal)
		ptx_encode_fail(encoder, "too few arguments");
}

/* Where a parameter or result is that has to have so many bytes. */
static uint32_t outside_param(struct ptx_encoder *encoder,
			      const struct ptx_operand *all, unsigned int i,
			      size_t bytes)
{
	if (!all || all->count <= i)
		ptx_encode_fail(encoder, "too few arguments");
	if (!is_param(&all->items[i]) || all->items[i].symbol->size != bytes)
		ptx_encode_unsupported(encoder);
	return ptx_encode_piece(encoder, all->items[i].symbol).place;
}

/* What is there without code in the module. */
static const struct outside {
	const char *name;
	const char *bytes; /* of parameters, and then of results */
	unsigned int params;
	ptx_run_fn *run;
	bool takes;
} outsides[] = {
	{"vprintf", "88", 2, ptx_exec_print, false},
	{"__assertfail", "884", 3, ptx_exec_assert, false},
	{"malloc", "88", 1, ptx_exec_malloc, true},
	{"free", "8", 1, ptx_exec_free, true},
	{"cudaGraphSetConditional", "84", 2, ptx_exec_condition, false},
};

static const struct outside *outside_find(const char *name)
{
	for (size_t i = 0; i < sizeof(outsides) / sizeof(outsides[0]); i++)
		if (!strcmp(name, outsides[i].name))
			return &outsides[i];
	return NULL;
}

static void outside_call(struct ptx_encoder *encoder, const struct call *call,
			 const char *name)
{
	const struct outside *known = outside_find(name);
	unsigned int count;
	uint32_t *list;
	struct ptx_op *op;

	if (!known)
		ptx_encode_fail(encoder, "the function '%.80s' is not here",
				name);
	count = (unsigned int)strlen(known->bytes);
	list = ptx_encode_get(encoder, count * sizeof(*list));
	for (unsigned int i = 0; i < count; i++) {
		bool result = i >= known->params;

		list[i] = outside_param(encoder,
					result ? call->results : call->args,
					result ? i - known->params : i,
					(size_t)(known->bytes[i] - '0'));
	}
	op = ptx_encode_emit(encoder, known->run);
	op->e = ptx_encode_delta(encoder);
	op->list = list;
	op->count = count;
	encoder->program->takes |= known->takes;
}

/* By an address: which function it is shows when it runs. */
static void pointer_call(struct ptx_encoder *encoder, const struct call *call)
{
	unsigned int count = call->args ? call->args->count : 0;
	uint32_t *list = ptx_encode_get(encoder, 2 * count * sizeof(*list));
	uint32_t a = ptx_encode_read(encoder, call->target, 8);
	uint32_t callee = ptx_encode_kept(encoder, 4);
	struct ptx_piece piece;
	struct ptx_op *op;

	for (unsigned int i = 0; i < count; i++) {
		if (!is_param(&call->args->items[i]))
			ptx_encode_unsupported(encoder);
		piece = ptx_encode_piece(encoder, call->args->items[i].symbol);
		list[2 * i] = piece.place;
		list[2 * i + 1] = piece.size;
	}
	op = ptx_encode_emit(encoder, NULL);
	op->step = PTX_STEP_POINTER;
	op->a = a;
	op->d = callee;
	op->e = ptx_encode_delta(encoder);
	op->list = list;
	op->count = 2 * count;
	if (!call->results || !call->results->count)
		return;
	if (!is_param(&call->results->items[0]))
		ptx_encode_unsupported(encoder);
	piece = ptx_encode_piece(encoder, call->results->items[0].symbol);
	op = ptx_encode_emit(encoder, ptx_exec_result_copy);
	op->a = callee;
	op->b = ptx_encode_delta(encoder);
	op->value = piece.place;
	op->count = piece.size;
}

static void direct_call(struct ptx_encoder *encoder, const struct call *call,
			const struct ptx_function *function)
{
	uint32_t callee = (uint32_t)ptx_reach_number(&encoder->reach, function);
	const struct ptx_routine *to = &encoder->program->routines[callee];
	struct ptx_op *op;

	if (to->recursive) {
		op = ptx_encode_emit(encoder, ptx_exec_frame);
		op->target = callee;
	}
	passes_emit(encoder, to->next, function->params, call->args, false);
	op = ptx_encode_emit(encoder, NULL);
	op->step = PTX_STEP_CALL;
	op->target = callee;
	passes_emit(encoder, to->last, function->results, call->results, true);
}

bool ptx_encode_call(struct ptx_encoder *encoder)
{
	struct call call = call_read(encoder);
	const struct ptx_function *function;

	if (call.target->kind == PTX_REGISTER) {
		pointer_call(encoder, &call);
		return true;
	}
	if (call.target->kind != PTX_FUNCTION)
		ptx_encode_unsupported(encoder);
	function = ptx_function_real(call.target->function);
	if (function->entry)
		ptx_encode_fail(encoder, "a call of the kernel '%.60s'",
				function->name);
	if (function->body)
		direct_call(encoder, &call, function);
	else
		outside_call(encoder, &call, function->name);
	return true;
}
