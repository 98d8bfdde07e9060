/* mov, cvt, comparisons and conversions of addresses. */
#include <string.h>

#include "encode.h"

static void copy_emit(struct ptx_encoder *encoder, uint32_t d, uint32_t a,
		      size_t bytes)
{
	struct ptx_op *op = ptx_encode_emit(encoder, ptx_exec_mov);

	op->d = d;
	op->a = a;
	op->bytes = (uint8_t)bytes;
}

/* Between a register and the elements of a vector. */
static void pieces_emit(struct ptx_encoder *encoder, bool pack, size_t bytes)
{
	const struct ptx_operand *to = ptx_encode_operand(encoder, 0);
	const struct ptx_operand *from = ptx_encode_operand(encoder, 1);
	const struct ptx_operand *vector = pack ? from : to;
	uint32_t *list = ptx_encode_get(encoder, vector->count * sizeof(*list));
	uint32_t slot = pack ? ptx_encode_write(encoder, to, bytes)
			     : ptx_encode_read(encoder, from, bytes);
	size_t piece = vector->count ? bytes / vector->count : 0;
	struct ptx_op *op;

	if (piece < 2 || piece * vector->count != bytes)
		ptx_encode_unsupported(encoder);
	for (unsigned int i = 0; i < vector->count; i++) {
		const struct ptx_operand *item = &vector->items[i];

		list[i] = pack ? ptx_encode_read(encoder, item, piece)
			  : item->kind == PTX_NOTHING
				  ? UINT32_MAX
				  : ptx_encode_write(encoder, item, piece);
	}
	op = ptx_encode_emit(encoder, pack ? ptx_exec_pack : ptx_exec_unpack);
	*(pack ? &op->d : &op->a) = slot;
	op->list = list;
	op->count = vector->count;
	op->bytes = (uint8_t)piece;
}

/* Registers that change by themselves. */
static bool clock_emit(struct ptx_encoder *encoder,
		       const struct ptx_operand *from, size_t bytes)
{
	static const struct ptx_word clocks[] = {
		{"%clock", 0},          {"%clock64", 0}, {"%globaltimer", 1},
		{"%globaltimer_lo", 1}, {NULL, 0},
	};
	const struct ptx_word *at = clocks;
	struct ptx_op *op;
	uint32_t slot;

	while (at->name && strcmp(at->name, from->name))
		at++;
	if (!at->name)
		return false;
	slot = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), bytes);
	op = ptx_encode_emit(encoder, ptx_exec_clock);
	op->d = slot;
	op->bytes = (uint8_t)bytes;
	op->mode = (uint8_t)at->value;
	return true;
}

static void mov(struct ptx_encoder *encoder)
{
	enum ptx_type type = ptx_encode_type(encoder, 0);
	size_t bytes = type == PTX_PRED ? 0 : ptx_type_bytes(type);
	const struct ptx_operand *to = ptx_encode_operand(encoder, 0);
	const struct ptx_operand *from = ptx_encode_operand(encoder, 1);
	uint32_t a;

	ptx_encode_mods(encoder, "");
	if (bytes > sizeof(uint64_t))
		ptx_encode_unsupported(encoder);
	if (to->kind == PTX_VECTOR || from->kind == PTX_VECTOR) {
		pieces_emit(encoder, from->kind == PTX_VECTOR, bytes);
		return;
	}
	if (from->kind == PTX_SPECIAL && clock_emit(encoder, from, bytes))
		return;
	a = ptx_encode_read(encoder, from, bytes);
	copy_emit(encoder, ptx_encode_write(encoder, to, bytes), a, bytes);
}

/* .rni and the like: to a whole number. */
static unsigned int whole_mode(const struct ptx_encoder *encoder)
{
	static const struct ptx_word words[] = {
		{"rni", 1 + PTX_MODE_NEAREST},
		{"rzi", 1 + PTX_MODE_ZERO},
		{"rmi", 1 + PTX_MODE_DOWN},
		{"rpi", 1 + PTX_MODE_UP},
		{NULL, 0},
	};
	const struct ptx_word *found = ptx_encode_word(encoder, words);

	return found ? found->value : 0;
}

/* Two floats into the halves of a register. */
static void cvt_pair(struct ptx_encoder *encoder, enum ptx_type to)
{
	uint32_t d, a, b;
	struct ptx_op *op;

	ptx_encode_mods(encoder, "rn rz relu");
	if (ptx_encode_type(encoder, 1) != PTX_F32)
		ptx_encode_unsupported(encoder);
	d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 4);
	a = ptx_encode_read(encoder, ptx_encode_operand(encoder, 1), 4);
	b = ptx_encode_read(encoder, ptx_encode_operand(encoder, 2), 4);
	op = ptx_encode_emit(encoder, ptx_exec_cvt_pair);
	op->d = d;
	op->a = a;
	op->b = b;
	op->type = (uint8_t)to;
	op->mode = (uint8_t)ptx_encode_mode(encoder);
	op->target = ptx_has(encoder->ins, "relu");
}

/* A tf32 is kept in a register of 32 bits. */
static void cvt_tf32(struct ptx_encoder *encoder)
{
	uint32_t d, a;
	struct ptx_op *op;

	ptx_encode_mods(encoder, "rna tf32");
	if (ptx_encode_type(encoder, 0) != PTX_F32)
		ptx_encode_unsupported(encoder);
	a = ptx_encode_read(encoder, ptx_encode_operand(encoder, 1), 4);
	d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 4);
	op = ptx_encode_emit(encoder, ptx_exec_cvt_tf32);
	op->d = d;
	op->a = a;
}

static bool is_single_number(enum ptx_type type)
{
	return type != PTX_PRED && type != PTX_B128 && type < PTX_F32X2 &&
	       type != PTX_F16X2 && type != PTX_BF16X2;
}

static void cvt(struct ptx_encoder *encoder)
{
	enum ptx_type to = ptx_encode_type(encoder, 0);
	enum ptx_type from = ptx_encode_type(encoder, 1);
	const struct ptx_operand *d = ptx_encode_operand(encoder, 0);
	const struct ptx_operand *a = ptx_encode_operand(encoder, 1);
	size_t bytes = ptx_encode_width(d, ptx_type_bytes(to));
	size_t from_bytes = ptx_encode_width(a, ptx_type_bytes(from));
	uint32_t d_slot, a_slot;
	struct ptx_op *op;

	if (to == PTX_F16X2 || to == PTX_BF16X2) {
		cvt_pair(encoder, to);
		return;
	}
	ptx_encode_mods(encoder, "rn rz rm rp rni rzi rmi rpi ftz sat");
	if (!is_single_number(to) || !is_single_number(from) ||
	    encoder->ins->operand_count != 2 || bytes < ptx_type_bytes(to) ||
	    from_bytes < ptx_type_bytes(from))
		ptx_encode_unsupported(encoder);
	a_slot = ptx_encode_read(encoder, a, from_bytes);
	d_slot = ptx_encode_write(encoder, d, bytes);
	op = ptx_encode_emit(encoder, ptx_exec_cvt);
	op->d = d_slot;
	op->a = a_slot;
	op->bytes = (uint8_t)bytes;
	op->count = (uint32_t)from_bytes;
	op->type = (uint8_t)to;
	op->from_type = (uint8_t)from;
	op->mode = (uint8_t)ptx_encode_mode(encoder);
	op->target = whole_mode(encoder);
}

static const struct ptx_word accepted[] = {
	{"eq", PTX_EQUAL},
	{"ne", PTX_LESS | PTX_GREATER},
	{"lt", PTX_LESS},
	{"le", PTX_LESS | PTX_EQUAL},
	{"gt", PTX_GREATER},
	{"ge", PTX_GREATER | PTX_EQUAL},
	{"lo", PTX_LESS},
	{"ls", PTX_LESS | PTX_EQUAL},
	{"hi", PTX_GREATER},
	{"hs", PTX_GREATER | PTX_EQUAL},
	{"equ", PTX_UNORDERED | PTX_EQUAL},
	{"neu", PTX_UNORDERED | PTX_LESS | PTX_GREATER},
	{"ltu", PTX_UNORDERED | PTX_LESS},
	{"leu", PTX_UNORDERED | PTX_LESS | PTX_EQUAL},
	{"gtu", PTX_UNORDERED | PTX_GREATER},
	{"geu", PTX_UNORDERED | PTX_GREATER | PTX_EQUAL},
	{"num", PTX_LESS | PTX_EQUAL | PTX_GREATER},
	{"nan", PTX_UNORDERED},
	{NULL, 0},
};

static const struct ptx_word combined[] = {
	{"and", PTX_COMBINE_AND},
	{"or", PTX_COMBINE_OR},
	{"xor", PTX_COMBINE_XOR},
	{NULL, 0},
};

static ptx_run_fn *compare_fn(bool set, bool halves)
{
	if (halves)
		return set ? ptx_exec_set_halves : ptx_exec_setp_halves;
	return set ? ptx_exec_set : ptx_exec_setp;
}

/* setp, and set with a number for its result. */
static void compare(struct ptx_encoder *encoder, bool set)
{
	enum ptx_type type = ptx_encode_type(encoder, set ? 1 : 0);
	enum ptx_type to = ptx_encode_type(encoder, 0);
	const struct ptx_word *accept = ptx_encode_word(encoder, accepted);
	const struct ptx_word *combine = ptx_encode_word(encoder, combined);
	const struct ptx_operand *to_operand = ptx_encode_operand(encoder, 0);
	bool pair = to_operand->kind == PTX_PAIR;
	size_t bytes = ptx_type_bytes(type);
	bool halves = type == PTX_F16X2 || type == PTX_BF16X2 ||
		      (set && bytes == 2 && ptx_type_bytes(to) == 2 &&
		       ptx_type_class(type) == PTX_CLASS_FLOAT);
	struct ptx_op made = {0}, *op;

	ptx_encode_mods(encoder,
			"eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu "
			"geu num nan and or xor ftz");
	if (!accept || bytes < 2 || bytes > 8 || (set && pair) ||
	    !(is_single_number(type) || halves))
		ptx_encode_unsupported(encoder);
	if (set && ptx_type_bytes(to) != (halves ? bytes : 4))
		ptx_encode_unsupported(encoder);
	made.a =
		ptx_encode_read(encoder, ptx_encode_operand(encoder, 1), bytes);
	made.b =
		ptx_encode_read(encoder, ptx_encode_operand(encoder, 2), bytes);
	made.c = combine ? ptx_encode_read(encoder,
					   ptx_encode_operand(encoder, 3), 0)
			 : encoder->always;
	made.d = ptx_encode_write(encoder,
				  pair ? &to_operand->items[0] : to_operand,
				  set ? ptx_type_bytes(to) : 0);
	made.e = pair ? ptx_encode_write(encoder, &to_operand->items[1], 0)
		      : ptx_encode_slot(encoder, 0);
	op = ptx_encode_emit(encoder, compare_fn(set, halves));
	op->a = made.a;
	op->b = made.b;
	op->c = made.c;
	op->d = made.d;
	op->e = made.e;
	op->count = accept->value;
	op->target = combine ? combine->value : PTX_COMBINE_NONE;
	op->type = (uint8_t)type;
	op->from_type = (uint8_t)to;
	if (type == PTX_F32 && ptx_has(encoder->ins, "ftz")) {
		op->inner = op->run;
		op->run = ptx_exec_in_mode;
		op->mode = PTX_MODE_FLUSH;
	}
}

static void testp(struct ptx_encoder *encoder)
{
	static const struct ptx_word kinds[] = {
		{"finite", 4 | 8 | 16},
		{"infinite", 2},
		{"number", 2 | 4 | 8 | 16},
		{"notanumber", 1},
		{"normal", 8},
		{"subnormal", 4},
		{NULL, 0},
	};
	const struct ptx_word *kind = ptx_encode_word(encoder, kinds);
	enum ptx_type type = ptx_encode_type(encoder, 0);
	uint32_t d, a;
	struct ptx_op *op;

	ptx_encode_mods(encoder,
			"finite infinite number notanumber normal subnormal");
	if (!kind || (type != PTX_F32 && type != PTX_F64))
		ptx_encode_unsupported(encoder);
	a = ptx_encode_read(encoder, ptx_encode_operand(encoder, 1),
			    ptx_type_bytes(type));
	d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 0);
	op = ptx_encode_emit(encoder, ptx_exec_testp);
	op->d = d;
	op->a = a;
	op->type = (uint8_t)type;
	op->mode = (uint8_t)kind->value;
}

static const struct ptx_word windows[] = {
	{"global", PTX_WINDOW_GLOBAL},
	{"shared", PTX_WINDOW_SHARED},
	{"shared::cta", PTX_WINDOW_SHARED},
	{"shared::cluster", PTX_WINDOW_SHARED},
	{"local", PTX_WINDOW_LOCAL},
	{"const", PTX_WINDOW_GLOBAL},
	{"param", PTX_WINDOW_GLOBAL},
	{"param::entry", PTX_WINDOW_GLOBAL},
	{NULL, 0},
};

static void cvta(struct ptx_encoder *encoder, bool ask)
{
	const struct ptx_word *window = ptx_encode_word(encoder, windows);
	uint32_t d, a;
	struct ptx_op *op;

	ptx_encode_mods(encoder, "to global shared shared::cta shared::cluster "
				 "local const param param::entry");
	if (!window)
		ptx_encode_unsupported(encoder);
	a = ptx_encode_read(encoder, ptx_encode_operand(encoder, 1), 8);
	d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0),
			     ask ? 0 : 8);
	/* What is constant is not told apart from global memory. */
	if (ask && (ptx_has(encoder->ins, "const") ||
		    ptx_has(encoder->ins, "param"))) {
		copy_emit(encoder, d, ptx_encode_number(encoder, 0, 0), 0);
		return;
	}
	op = ptx_encode_emit(encoder, ask ? ptx_exec_isspacep : ptx_exec_cvta);
	op->d = d;
	op->a = a;
	op->window = (uint8_t)window->value;
	op->mode = ptx_has(encoder->ins, "to");
}

bool ptx_encode_moves(struct ptx_encoder *encoder)
{
	const char *name = encoder->ins->name;

	if (!strcmp(name, "mov"))
		mov(encoder);
	else if (!strcmp(name, "cvt") && ptx_has(encoder->ins, "tf32"))
		cvt_tf32(encoder);
	else if (!strcmp(name, "cvt"))
		cvt(encoder);
	else if (!strcmp(name, "setp") || !strcmp(name, "set"))
		compare(encoder, !name[3]);
	else if (!strcmp(name, "testp"))
		testp(encoder);
	else if (!strcmp(name, "cvta") || !strcmp(name, "isspacep"))
		cvta(encoder, *name == 'i');
	else
		return false;
	return true;
}
