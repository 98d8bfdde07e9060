/* Matrix instructions: wmma, mma and ldmatrix. */
#include <string.h>

#include "encode.h"
#include "matrix.h"

struct shape {
	const char *name;
	uint8_t m, n, k;
};

static const struct shape shapes[] = {
	{"m16n16k16", 16, 16, 16}, {"m8n32k16", 8, 32, 16},
	{"m32n8k16", 32, 8, 16},   {"m16n16k8", 16, 16, 8},
	{"m8n8k4", 8, 8, 4},       {"m8n8k16", 8, 8, 16},
	{"m16n8k4", 16, 8, 4},     {"m16n8k8", 16, 8, 8},
	{"m16n8k16", 16, 8, 16},   {"m16n8k32", 16, 8, 32},
};

static const struct shape *shape_read(struct ptx_encoder *encoder)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (ptx_has(encoder->ins, shapes[i].name))
			return &shapes[i];
	ptx_encode_unsupported(encoder);
}

/* The type at a place of the list, in which tf32 is no type of registers. */
static enum ptx_type type_read(struct ptx_encoder *encoder, char role)
{
	const struct ptx_instruction *ins = encoder->ins;
	bool short_list = ins->type_count == 2; /* of d and c */

	if (ptx_has(ins, "tf32"))
		return role == 'a' || role == 'b' ? PTX_B32 : PTX_F32;
	if (ins->type_count == 1)
		return ins->types[0];
	if (short_list && (role == 'a' || role == 'b'))
		return PTX_F16;
	return ptx_encode_type(encoder, role == 'd'   ? 0
					: role == 'a' ? 1
					: role == 'b' ? 2
					: short_list  ? 1
						      : 3);
}

/* Whether a matrix that is multiplied may have this type, or one of results. */
static bool type_fits(enum ptx_type type, char role)
{
	if (type == PTX_F64 || type == PTX_F16)
		return true;
	if (role == 'a' || role == 'b')
		return type == PTX_BF16 || type == PTX_B32 || type == PTX_U8 ||
		       type == PTX_S8;
	return type == PTX_F32 || type == PTX_S32;
}

static enum ptx_tile_form form_of(char role)
{
	return role == 'a' ? PTX_TILE_A : role == 'b' ? PTX_TILE_B : PTX_TILE_C;
}

static struct ptx_tile tile_read(struct ptx_encoder *encoder,
				 const struct shape *shape, char role,
				 bool owned, unsigned int operand)
{
	const struct ptx_operand *at = ptx_encode_operand(encoder, operand);
	enum ptx_type type = type_read(encoder, role);
	size_t bytes = ptx_type_bytes(type), width = bytes < 4 ? 4 : bytes;
	bool vector = at->kind == PTX_VECTOR;
	bool read = encoder->ins->operands == at
			    ? ptx_has(encoder->ins, "store")
			    : true;
	struct ptx_tile tile = {
		.form = owned ? PTX_TILE_OWN : form_of(role),
		.type = (uint8_t)type,
		.rows = role == 'b' ? shape->k : shape->m,
		.columns = role == 'a' ? shape->k : shape->n,
		.bytes = (uint8_t)bytes,
		.packed = (uint8_t)(width / bytes),
		.count = (uint8_t)(vector ? at->count : 1),
	};
	unsigned int wanted =
		tile.rows * tile.columns / PTX_LANES / tile.packed;

	/* Of wmma these have more room than they need. */
	if (wanted && owned && type == PTX_F16 && (role == 'a' || role == 'b'))
		wanted = PTX_TILE_REGISTERS;
	if (!type_fits(type, role) || tile.count != wanted || !wanted ||
	    wanted > PTX_TILE_REGISTERS ||
	    (!owned && shape->k % (4 * tile.packed) != 0 &&
	     (role == 'a' || role == 'b')))
		ptx_encode_unsupported(encoder);
	for (unsigned int i = 0; i < tile.count; i++) {
		const struct ptx_operand *item = vector ? &at->items[i] : at;

		tile.slots[i] = read ? ptx_encode_read(encoder, item, width)
				     : ptx_encode_write(encoder, item, width);
	}
	ptx_tile_place(&tile);
	return tile;
}

static struct ptx_op *matrix_emit(struct ptx_encoder *encoder,
				  const struct ptx_matrix *made,
				  ptx_run_fn *run)
{
	struct ptx_matrix *matrix = ptx_encode_get(encoder, sizeof(*matrix));
	uint32_t all = ptx_encode_number(encoder, 4, PTX_ALL_LANES);
	struct ptx_op *op;

	*matrix = *made;
	op = ptx_encode_emit(encoder, run);
	op->step = PTX_STEP_SYNC;
	op->target = all;
	op->list = (const uint32_t *)matrix;
	return op;
}

#define SHAPES_OWN "m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 "

/* wmma.load and wmma.store: behind the address stands how far rows are apart.
 */
static void move(struct ptx_encoder *encoder, bool store)
{
	const struct shape *shape = shape_read(encoder);
	bool columns = ptx_has(encoder->ins, "col");
	struct ptx_matrix made = {.by_columns = columns};
	char role = store                        ? 'd'
		    : ptx_has(encoder->ins, "a") ? 'a'
		    : ptx_has(encoder->ins, "b") ? 'b'
						 : 'c';
	struct ptx_op address, *op;
	uint32_t stride;

	ptx_encode_mods(encoder,
			SHAPES_OWN "load store sync aligned a b c d row "
				   "col global shared shared::cta tf32");
	if (columns == ptx_has(encoder->ins, "row"))
		ptx_encode_unsupported(encoder);
	address = ptx_encode_address(encoder,
				     ptx_encode_operand(encoder, !store));
	made.d = tile_read(encoder, shape, role, true, store);
	stride = encoder->ins->operand_count > 2
			 ? ptx_encode_read(encoder,
					   ptx_encode_operand(encoder, 2), 4)
			 : ptx_encode_number(encoder, 4,
					     columns ? made.d.rows
						     : made.d.columns);
	op = matrix_emit(encoder, &made,
			 store ? ptx_exec_matrix_store : ptx_exec_matrix_load);
	ptx_encode_address_set(op, &address);
	op->b = stride;
}

/* wmma.mma, and mma, whose matrices have to stand in one order. */
static void multiply(struct ptx_encoder *encoder, bool owned)
{
	const struct shape *shape = shape_read(encoder);
	struct ptx_matrix made = {
		.saturates = ptx_has(encoder->ins, "satfinite"),
	};

	ptx_encode_mods(encoder,
			owned ? SHAPES_OWN "mma sync aligned row col satfinite "
					   "rn tf32"
			      : "m8n8k4 m8n8k16 m16n8k4 m16n8k8 m16n8k16 "
				"m16n8k32 sync aligned row col satfinite rn "
				"tf32");
	if (encoder->ins->operand_count != 4 || (encoder->ins->type_count < 2))
		ptx_encode_unsupported(encoder);
	made.a = tile_read(encoder, shape, 'a', owned, 1);
	made.b = tile_read(encoder, shape, 'b', owned, 2);
	made.c = tile_read(encoder, shape, 'c', owned, 3);
	made.d = tile_read(encoder, shape, 'd', owned, 0);
	matrix_emit(encoder, &made, ptx_exec_matrix_multiply);
}

/* ldmatrix: 8 by 8 elements of 16 bits for each register. */
static void rows_load(struct ptx_encoder *encoder)
{
	const struct ptx_operand *to = ptx_encode_operand(encoder, 0);
	unsigned int count = ptx_has(encoder->ins, "x4")   ? 4
			     : ptx_has(encoder->ins, "x2") ? 2
							   : 1;
	struct ptx_matrix made = {.by_columns = ptx_has(encoder->ins, "trans")};
	struct ptx_op address, *op;

	ptx_encode_mods(encoder,
			"sync aligned m8n8 x1 x2 x4 trans shared shared::cta");
	if (ptx_encode_type(encoder, 0) != PTX_B16 ||
	    !ptx_has(encoder->ins, "m8n8") || to->kind != PTX_VECTOR ||
	    to->count != count)
		ptx_encode_unsupported(encoder);
	address = ptx_encode_address(encoder, ptx_encode_operand(encoder, 1));
	made.d.count = (uint8_t)count;
	for (unsigned int i = 0; i < count; i++)
		made.d.slots[i] = ptx_encode_write(encoder, &to->items[i], 4);
	op = matrix_emit(encoder, &made, ptx_exec_matrix_rows);
	ptx_encode_address_set(op, &address);
}

bool ptx_encode_matrix(struct ptx_encoder *encoder)
{
	const char *name = encoder->ins->name;

	if (!strcmp(name, "ldmatrix"))
		rows_load(encoder);
	else if (!strcmp(name, "mma"))
		multiply(encoder, false);
	else if (strcmp(name, "wmma") != 0)
		return false;
	else if (ptx_has(encoder->ins, "mma"))
		multiply(encoder, true);
	else
		move(encoder, ptx_has(encoder->ins, "store"));
	return true;
}
