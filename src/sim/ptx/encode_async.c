/* Copies that are over later, what waits for them, and barriers in shared
 * memory. */
#include <string.h>

#include "encode.h"

static void mbarrier_address(struct ptx_encoder *encoder, unsigned int i,
			     struct ptx_op *made)
{
	*made = ptx_encode_address(encoder, ptx_encode_operand(encoder, i));
	if (!made->generic && made->window != PTX_WINDOW_SHARED)
		ptx_encode_unsupported(encoder);
}

static void mbarrier_arrive(struct ptx_encoder *encoder)
{
	const struct ptx_instruction *ins = encoder->ins;
	const struct ptx_operand *to = ptx_encode_operand(encoder, 0);
	/* Without a state, the address is the first. */
	unsigned int at = to->kind == PTX_MEMORY ? 0 : 1;
	uint32_t b, d = UINT32_MAX;
	struct ptx_op made, *op;

	mbarrier_address(encoder, at, &made);
	b = ins->operand_count > at + 1
		    ? ptx_encode_read(encoder,
				      ptx_encode_operand(encoder, at + 1), 4)
		    : ptx_encode_number(encoder, 4, 1);
	if (at)
		d = ptx_encode_write(encoder, to, 8);
	op = ptx_encode_emit(encoder, ptx_exec_mbarrier_arrive);
	ptx_encode_address_set(op, &made);
	op->b = b;
	op->d = d;
	op->mode = ptx_has(ins, "arrive_drop") ? PTX_MBARRIER_DROP : 0;
}

static void mbarrier_test(struct ptx_encoder *encoder)
{
	bool parity = ptx_has(encoder->ins, "parity");
	struct ptx_op made, *op;
	uint32_t b, d;

	mbarrier_address(encoder, 1, &made);
	b = ptx_encode_read(encoder, ptx_encode_operand(encoder, 2),
			    parity ? 4 : 8);
	d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 0);
	op = ptx_encode_emit(encoder, ptx_exec_mbarrier_test);
	ptx_encode_address_set(op, &made);
	op->step = PTX_STEP_REST;
	op->b = b;
	op->d = d;
	op->mode = parity ? PTX_MBARRIER_PARITY : 0;
}

static void mbarrier(struct ptx_encoder *encoder)
{
	const struct ptx_instruction *ins = encoder->ins;
	struct ptx_op made, *op;
	uint32_t b, d;

	ptx_encode_mods(encoder,
			"init inval arrive arrive_drop test_wait try_wait "
			"parity pending_count noComplete shared shared::cta "
			"release acquire relaxed cta");
	if (ptx_has(ins, "arrive") || ptx_has(ins, "arrive_drop")) {
		mbarrier_arrive(encoder);
	} else if (ptx_has(ins, "test_wait") || ptx_has(ins, "try_wait")) {
		mbarrier_test(encoder);
	} else if (ptx_has(ins, "init")) {
		mbarrier_address(encoder, 0, &made);
		b = ptx_encode_read(encoder, ptx_encode_operand(encoder, 1), 4);
		op = ptx_encode_emit(encoder, ptx_exec_mbarrier_init);
		ptx_encode_address_set(op, &made);
		op->b = b;
	} else if (ptx_has(ins, "pending_count")) {
		b = ptx_encode_read(encoder, ptx_encode_operand(encoder, 1), 8);
		d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0),
				     4);
		op = ptx_encode_emit(encoder, ptx_exec_mbarrier_pending);
		op->a = b;
		op->d = d;
	} else if (!ptx_has(ins, "inval")) {
		ptx_encode_unsupported(encoder);
	}
}

/* cp.async, which is a copy that is over at once. */
static void copy_async(struct ptx_encoder *encoder)
{
	const struct ptx_instruction *ins = encoder->ins;
	struct ptx_operand source;
	uint32_t b, e = UINT32_MAX;
	struct ptx_op made, *op;

	if (ptx_has(ins, "mbarrier")) {
		ptx_encode_mods(encoder, "async mbarrier arrive noinc shared "
					 "shared::cta");
		/* Without noinc, one more arrival is expected as well. */
		if (ptx_has(ins, "noinc"))
			mbarrier_arrive(encoder);
		return;
	}
	if (ptx_has(ins, "commit_group") || ptx_has(ins, "wait_group") ||
	    ptx_has(ins, "wait_all")) {
		ptx_encode_mods(encoder,
				"async commit_group wait_group wait_all");
		return;
	}
	ptx_encode_mods(encoder, "async ca cg shared shared::cta global "
				 "L2::64B L2::128B L2::256B");
	if (ptx_encode_operand(encoder, 1)->kind != PTX_MEMORY ||
	    ptx_encode_operand(encoder, 2)->kind != PTX_INTEGER)
		ptx_encode_unsupported(encoder);
	made = ptx_encode_address(encoder, ptx_encode_operand(encoder, 0));
	source = ptx_encode_operand(encoder, 1)->items[0];
	made.target = (uint32_t)source.value;
	if (source.kind != PTX_INTEGER && source.value != (int32_t)source.value)
		ptx_encode_unsupported(encoder);
	if (source.kind == PTX_INTEGER)
		made.target = 0;
	else
		source.value = 0;
	b = ptx_encode_read(encoder, &source, 8);
	if (ins->operand_count > 3)
		e = ptx_encode_read(encoder, &ins->operands[3], 4);
	op = ptx_encode_emit(encoder, ptx_exec_copy_async);
	ptx_encode_address_set(op, &made);
	op->b = b;
	op->e = e;
	op->target = made.target;
	op->count = (uint32_t)ins->operands[2].value & 31;
}

static void rest_emit(struct ptx_encoder *encoder)
{
	ptx_encode_emit(encoder, ptx_exec_rest)->step = PTX_STEP_REST;
}

bool ptx_encode_async(struct ptx_encoder *encoder)
{
	const char *name = encoder->ins->name;

	if (!strcmp(name, "mbarrier"))
		mbarrier(encoder);
	else if (!strcmp(name, "nanosleep"))
		rest_emit(encoder);
	else if (!strcmp(name, "cp") && ptx_has(encoder->ins, "async"))
		copy_async(encoder);
	else
		return false;
	return true;
}
