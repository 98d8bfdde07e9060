/* What threads of a warp or a block do together. */
#include <string.h>

#include "encode.h"

/* An operation of lanes, as it is put together. */
struct making {
	struct ptx_op op;
	unsigned int next; /* operand */
};

static uint32_t next_read(struct ptx_encoder *encoder, struct making *making,
			  size_t bytes)
{
	return ptx_encode_read(
		encoder, ptx_encode_operand(encoder, making->next++), bytes);
}

/* d, or d|p: e is the slot of the predicate. */
static void results_read(struct ptx_encoder *encoder, struct making *making,
			 size_t bytes)
{
	const struct ptx_operand *to =
		ptx_encode_operand(encoder, making->next++);
	bool pair = to->kind == PTX_PAIR;

	making->op.d =
		ptx_encode_write(encoder, pair ? &to->items[0] : to, bytes);
	making->op.e = pair ? ptx_encode_write(encoder, &to->items[1], 0)
			    : ptx_encode_slot(encoder, 0);
}

/* The last operand says who takes part, if there is ".sync". */
static void members_read(struct ptx_encoder *encoder, struct making *making)
{
	if (!ptx_has(encoder->ins, "sync"))
		return;
	making->op.step = PTX_STEP_SYNC;
	making->op.target = next_read(encoder, making, 4);
}

static struct ptx_op *making_emit(struct ptx_encoder *encoder,
				  const struct making *making, ptx_run_fn *run)
{
	const struct ptx_op *made = &making->op;
	struct ptx_op *op = ptx_encode_emit(encoder, run);

	if (making->next != encoder->ins->operand_count)
		ptx_encode_unsupported(encoder);
	op->d = made->d;
	op->a = made->a;
	op->b = made->b;
	op->c = made->c;
	op->e = made->e;
	op->target = made->target;
	op->step = made->step;
	op->mode = made->mode;
	op->bytes = made->bytes;
	op->type = made->type;
	return op;
}

static void shuffle(struct ptx_encoder *encoder)
{
	static const struct ptx_word modes[] = {
		{"up", PTX_SHUFFLE_UP},
		{"down", PTX_SHUFFLE_DOWN},
		{"bfly", PTX_SHUFFLE_BFLY},
		{"idx", PTX_SHUFFLE_IDX},
		{NULL, 0},
	};
	const struct ptx_word *mode = ptx_encode_word(encoder, modes);
	struct making making = {0};

	ptx_encode_mods(encoder, "sync up down bfly idx");
	if (!mode || ptx_encode_type(encoder, 0) != PTX_B32)
		ptx_encode_unsupported(encoder);
	making.op.mode = (uint8_t)mode->value;
	results_read(encoder, &making, 4);
	making.op.a = next_read(encoder, &making, 4);
	making.op.b = next_read(encoder, &making, 4);
	making.op.c = next_read(encoder, &making, 4);
	members_read(encoder, &making);
	making_emit(encoder, &making, ptx_exec_shuffle);
}

static void vote(struct ptx_encoder *encoder)
{
	static const struct ptx_word modes[] = {
		{"all", PTX_VOTE_ALL},
		{"any", PTX_VOTE_ANY},
		{"uni", PTX_VOTE_UNI},
		{"ballot", PTX_VOTE_BALLOT},
		{NULL, 0},
	};
	const struct ptx_word *mode = ptx_encode_word(encoder, modes);
	struct making making = {.next = 1};

	ptx_encode_mods(encoder, "sync all any uni ballot");
	if (!mode)
		ptx_encode_unsupported(encoder);
	making.op.mode = (uint8_t)mode->value;
	making.op.d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0),
				       mode->value == PTX_VOTE_BALLOT ? 4 : 0);
	making.op.a = next_read(encoder, &making, 0);
	members_read(encoder, &making);
	making_emit(encoder, &making, ptx_exec_vote);
}

static void match(struct ptx_encoder *encoder)
{
	size_t bytes = ptx_type_bytes(ptx_encode_type(encoder, 0));
	struct making making = {0};

	ptx_encode_mods(encoder, "sync all any");
	if (bytes != 4 && bytes != 8)
		ptx_encode_unsupported(encoder);
	making.op.mode = ptx_has(encoder->ins, "all");
	making.op.bytes = (uint8_t)bytes;
	results_read(encoder, &making, 4);
	making.op.a = next_read(encoder, &making, bytes);
	members_read(encoder, &making);
	making_emit(encoder, &making, ptx_exec_match);
}

static void redux(struct ptx_encoder *encoder)
{
	static const struct ptx_word works[] = {
		{"add", PTX_ATOMIC_ADD},
		{"and", PTX_ATOMIC_AND},
		{"or", PTX_ATOMIC_OR},
		{"xor", PTX_ATOMIC_XOR},
		{"min", PTX_ATOMIC_MIN},
		{"max", PTX_ATOMIC_MAX},
		{NULL, 0},
	};
	const struct ptx_word *work = ptx_encode_word(encoder, works);
	enum ptx_type type = ptx_encode_type(encoder, 0);
	struct making making = {.next = 1};

	ptx_encode_mods(encoder, "sync add and or xor min max");
	if (!work || ptx_type_bytes(type) != 4 ||
	    ptx_type_class(type) == PTX_CLASS_FLOAT)
		ptx_encode_unsupported(encoder);
	making.op.mode = (uint8_t)work->value;
	making.op.type = (uint8_t)type;
	making.op.d =
		ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 4);
	making.op.a = next_read(encoder, &making, 4);
	members_read(encoder, &making);
	making_emit(encoder, &making, ptx_exec_redux);
}

static void elect(struct ptx_encoder *encoder)
{
	struct making making = {0};

	ptx_encode_mods(encoder, "sync");
	results_read(encoder, &making, 4);
	members_read(encoder, &making);
	making_emit(encoder, &making, ptx_exec_elect);
}

static void active(struct ptx_encoder *encoder)
{
	struct making making = {.next = 1};

	making.op.d =
		ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 4);
	making_emit(encoder, &making, ptx_exec_activemask);
}

/* barrier.red.popc.u32 d, a, b, p; b may be left out. */
static void reduction_read(struct ptx_encoder *encoder, struct making *making)
{
	bool popc = ptx_has(encoder->ins, "popc");

	making->op.mode = popc                           ? PTX_BARRIER_POPC
			  : ptx_has(encoder->ins, "and") ? PTX_BARRIER_AND
							 : PTX_BARRIER_OR;
	making->op.d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0),
					popc ? 4 : 0);
	making->next = 1;
}

static void barrier(struct ptx_encoder *encoder)
{
	const struct ptx_instruction *ins = encoder->ins;
	bool red = ptx_has(ins, "red");
	struct making making = {.op = {.step = PTX_STEP_BARRIER}};

	ptx_encode_mods(encoder,
			"warp cta sync arrive red aligned popc and or");
	if (ptx_has(ins, "warp")) {
		making.op.step = PTX_STEP_SYNC;
		making.op.target = next_read(encoder, &making, 4);
		making_emit(encoder, &making, ptx_exec_nothing);
		return;
	}
	if (red)
		reduction_read(encoder, &making);
	else if (ptx_has(ins, "arrive"))
		making.op.mode = PTX_BARRIER_ARRIVE;
	making.op.a = next_read(encoder, &making, 4);
	making.op.b = ins->operand_count > making.next + red
			      ? next_read(encoder, &making, 4)
			      : ptx_encode_number(encoder, 4, 0);
	making.op.c = red ? next_read(encoder, &making, 0) : encoder->always;
	making_emit(encoder, &making, NULL);
}

bool ptx_encode_warp(struct ptx_encoder *encoder)
{
	static const struct {
		const char *name;
		void (*encode)(struct ptx_encoder *encoder);
	} list[] = {
		{"shfl", shuffle},    {"vote", vote},   {"match", match},
		{"redux", redux},     {"elect", elect}, {"activemask", active},
		{"barrier", barrier}, {"bar", barrier},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (strcmp(encoder->ins->name, list[i].name))
			continue;
		list[i].encode(encoder);
		return true;
	}
	return false;
}
