/* Jumps. */
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

bool ptx_encode_flow(struct ptx_encoder *encoder)
{
	static const char *const nothing[] = {
		"pmevent", "brkpt", "griddepcontrol", "setmaxnreg", NULL};
	const char *name = encoder->ins->name;

	for (size_t i = 0; nothing[i]; i++)
		if (!strcmp(name, nothing[i]))
			return true;
	if (!strcmp(name, "bra"))
		branch(encoder);
	else if (!strcmp(name, "brx"))
		table(encoder);
	else if (!strcmp(name, "call"))
		return ptx_encode_call(encoder);
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
