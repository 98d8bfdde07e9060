/* Instructions that touch memory. */
#include <string.h>

#include "apart.h"
#include "encode.h"

#define SPACES \
	"global shared shared::cta shared::cluster local const param " \
	"param::entry param::func generic "
#define ORDERS \
	"volatile relaxed acquire release acq_rel sc weak mmio cta gpu sys " \
	"cluster "
#define CACHES \
	"ca cg cs lu cv wb wt nc L1::evict* L1::no_allocate L2::64B L2::128B " \
	"L2::256B L2::evict* "

/* The window of the modifiers; generic if there is none. */
static void space_set(struct ptx_encoder *encoder, struct ptx_op *op)
{
	static const struct ptx_word windows[] = {
		{"global", PTX_WINDOW_GLOBAL},
		{"shared", PTX_WINDOW_SHARED},
		{"shared::cta", PTX_WINDOW_SHARED},
		{"local", PTX_WINDOW_LOCAL},
		{"const", PTX_WINDOW_GLOBAL},
		{NULL, 0},
	};
	const struct ptx_word *window = ptx_encode_word(encoder, windows);

	if (ptx_has(encoder->ins, "shared::cluster"))
		ptx_encode_unsupported(encoder);
	op->window = (uint8_t)(window ? window->value : PTX_WINDOW_GLOBAL);
	op->generic = !window;
}

struct ptx_op ptx_encode_address(struct ptx_encoder *encoder,
				 const struct ptx_operand *memory)
{
	struct ptx_op made = {0};
	struct ptx_operand base;
	size_t bytes;

	if (memory->kind != PTX_MEMORY || memory->count != 1)
		ptx_encode_unsupported(encoder);
	base = memory->items[0];
	space_set(encoder, &made);
	bytes = ptx_encode_width(&base, 8);
	if (bytes != 4 && bytes != 8)
		ptx_encode_unsupported(encoder);
	if (base.kind == PTX_REGISTER || base.kind == PTX_SYMBOL) {
		made.value = base.value;
		base.value = 0;
	}
	made.a = ptx_encode_read(encoder, &base, bytes);
	made.narrow = bytes == 4;
	made.fixed = base.kind == PTX_SYMBOL &&
		     (base.symbol->space == PTX_IN_CONST ||
		      base.symbol->space == PTX_IN_GLOBAL ||
		      base.symbol->space == PTX_IN_SHARED);
	/* Parameters of functions are in a thread's local memory. */
	if (base.kind == PTX_SYMBOL && base.symbol->space == PTX_IN_PARAM)
		made.generic = true;
	return made;
}

void ptx_encode_address_set(struct ptx_op *op, const struct ptx_op *address)
{
	op->a = address->a;
	op->value = address->value;
	op->window = address->window;
	op->generic = address->generic;
	op->narrow = address->narrow;
	op->fixed = address->fixed;
}

/* Pairs of slot and width, for a register or the elements of a vector. */
static void elements_set(struct ptx_encoder *encoder, struct ptx_op *op,
			 const struct ptx_operand *value, bool load)
{
	bool vector = value->kind == PTX_VECTOR;
	unsigned int count = vector ? value->count : 1;
	uint32_t *list = ptx_encode_get(encoder, 2 * count * sizeof(*list));
	size_t bytes = op->bytes;

	if (!count || count > 8 || count & (count - 1))
		ptx_encode_unsupported(encoder);
	for (unsigned int i = 0; i < count; i++) {
		const struct ptx_operand *item =
			vector ? &value->items[i] : value;
		/* A byte that is written may be a number. */
		size_t width = ptx_encode_width(item, bytes);

		if (width < bytes)
			ptx_encode_unsupported(encoder);
		list[2 * i + 1] = (uint32_t)width;
		if (item->kind == PTX_NOTHING)
			list[2 * i] = UINT32_MAX;
		else
			list[2 * i] =
				load ? ptx_encode_write(encoder, item, width)
				     : ptx_encode_read(encoder, item, width);
	}
	op->list = list;
	op->count = 2 * count;
}

static void fence_emit(struct ptx_encoder *encoder)
{
	ptx_encode_emit(encoder, ptx_exec_fence);
}

/* Behind what threads may ask for in a loop: they wait for others of the grid.
 */
static void ask_emit(struct ptx_encoder *encoder, const struct ptx_op *address,
		     uint32_t d, size_t bytes)
{
	struct ptx_op *op;

	if (d == UINT32_MAX || ptx_is_within_block(encoder->ins))
		return;
	op = ptx_encode_emit(encoder, ptx_exec_ask);
	ptx_encode_address_set(op, address);
	op->step = PTX_STEP_REST;
	op->d = d;
	op->bytes = (uint8_t)bytes;
}

/* Operation with elements: it is made first, since they may need others. */
static void elements_emit(struct ptx_encoder *encoder, ptx_run_fn *run,
			  const struct ptx_op *made)
{
	struct ptx_op *op = ptx_encode_emit(encoder, run);

	ptx_encode_address_set(op, made);
	op->list = made->list;
	op->count = made->count;
	op->bytes = made->bytes;
	op->type = made->type;
}

static const struct ptx_symbol *kernel_param(const struct ptx_operand *memory)
{
	const struct ptx_operand *base = memory->items;

	return memory->kind == PTX_MEMORY && base->kind == PTX_SYMBOL &&
			       base->symbol->of_kernel
		       ? base->symbol
		       : NULL;
}

static void load(struct ptx_encoder *encoder)
{
	enum ptx_type type = ptx_encode_type(encoder, 0);
	const struct ptx_operand *to = ptx_encode_operand(encoder, 0);
	const struct ptx_operand *memory = ptx_encode_operand(encoder, 1);
	const struct ptx_symbol *param = kernel_param(memory);
	struct ptx_op made = {0};
	ptx_run_fn *run = ptx_exec_load;

	ptx_encode_mods(encoder, SPACES ORDERS CACHES "v2 v4 v8");
	if (type == PTX_PRED || ptx_type_bytes(type) > 8 ||
	    encoder->ins->operand_count != 2)
		ptx_encode_unsupported(encoder);
	if (param) {
		made.value = (int64_t)param->offset + memory->value;
		run = ptx_exec_load_param;
	} else {
		made = ptx_encode_address(encoder, memory);
	}
	made.type = (uint8_t)type;
	made.bytes = (uint8_t)ptx_type_bytes(type);
	elements_set(encoder, &made, to, true);
	if (param &&
	    (memory->value < 0 || (uint64_t)memory->value > param->size ||
	     (uint64_t)made.bytes * made.count / 2 >
		     param->size - (uint64_t)memory->value))
		ptx_encode_fail(encoder, "a load from behind parameter '%.60s'",
				param->name);
	if (run == ptx_exec_load && made.count == 2 &&
	    made.list[0] != UINT32_MAX && made.list[1] == made.bytes)
		run = made.bytes == 4   ? ptx_exec_load_4
		      : made.bytes == 8 ? ptx_exec_load_8
					: run;
	elements_emit(encoder, run, &made);
	if (ptx_is_ordered(encoder->ins))
		ask_emit(encoder, &made, made.list[0], made.list[1]);
	if (ptx_has(encoder->ins, "acquire"))
		fence_emit(encoder);
}

static void store(struct ptx_encoder *encoder)
{
	enum ptx_type type = ptx_encode_type(encoder, 0);
	const struct ptx_operand *memory = ptx_encode_operand(encoder, 0);
	const struct ptx_operand *from = ptx_encode_operand(encoder, 1);
	struct ptx_op made;

	ptx_encode_mods(encoder, SPACES ORDERS CACHES "v2 v4 v8");
	if (type == PTX_PRED || ptx_type_bytes(type) > 8 ||
	    encoder->ins->operand_count != 2 || kernel_param(memory))
		ptx_encode_unsupported(encoder);
	if (ptx_has(encoder->ins, "release"))
		fence_emit(encoder);
	made = ptx_encode_address(encoder, memory);
	made.type = (uint8_t)type;
	made.bytes = (uint8_t)ptx_type_bytes(type);
	elements_set(encoder, &made, from, false);
	for (uint32_t i = 0; i < made.count; i += 2)
		if (made.list[i] == UINT32_MAX)
			ptx_encode_unsupported(encoder);
	elements_emit(encoder, ptx_exec_store, &made);
}

static const struct ptx_word atomics[] = {
	{"add", PTX_ATOMIC_ADD},
	{"and", PTX_ATOMIC_AND},
	{"or", PTX_ATOMIC_OR},
	{"xor", PTX_ATOMIC_XOR},
	{"min", PTX_ATOMIC_MIN},
	{"max", PTX_ATOMIC_MAX},
	{"inc", PTX_ATOMIC_INC},
	{"dec", PTX_ATOMIC_DEC},
	{"exch", PTX_ATOMIC_EXCH},
	{"cas", PTX_ATOMIC_CAS},
	{NULL, 0},
};

/* atom, and red, which has no result. */
static void atomic(struct ptx_encoder *encoder, bool has_result)
{
	const struct ptx_word *what = ptx_encode_word(encoder, atomics);
	enum ptx_type type = ptx_encode_type(encoder, 0);
	bool real = ptx_type_class(type) == PTX_CLASS_FLOAT;
	unsigned int at = has_result ? 1 : 0;
	size_t bytes = ptx_type_bytes(type);
	uint32_t b, c, d = UINT32_MAX;
	struct ptx_op made, *op;

	ptx_encode_mods(encoder, SPACES ORDERS "add and or xor min max inc dec "
					       "exch cas noftz");
	if (!what || bytes < 2 || bytes > 8 || type == PTX_F32X2 ||
	    (real && what->value != PTX_ATOMIC_ADD) ||
	    encoder->ins->operand_count !=
		    at + 2 + (what->value == PTX_ATOMIC_CAS))
		ptx_encode_unsupported(encoder);
	made = ptx_encode_address(encoder, ptx_encode_operand(encoder, at));
	b = ptx_encode_read(encoder, ptx_encode_operand(encoder, at + 1),
			    bytes);
	c = what->value == PTX_ATOMIC_CAS
		    ? ptx_encode_read(encoder,
				      ptx_encode_operand(encoder, at + 2),
				      bytes)
		    : b;
	if (has_result)
		d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0),
				     bytes);
	op = ptx_encode_emit(encoder, ptx_exec_atomic);
	ptx_encode_address_set(op, &made);
	op->b = b;
	op->c = c;
	op->d = d;
	op->bytes = (uint8_t)bytes;
	op->type = (uint8_t)type;
	op->mode = (uint8_t)what->value;
	if (what->value == PTX_ATOMIC_CAS)
		ask_emit(encoder, &made, d, bytes);
}

bool ptx_encode_memory(struct ptx_encoder *encoder)
{
	static const char *const hints[] = {"prefetch", "prefetchu",
					    "applypriority", "discard", NULL};
	const char *name = encoder->ins->name;

	for (size_t i = 0; hints[i]; i++)
		if (!strcmp(name, hints[i]))
			return true;
	if (!strcmp(name, "ld") || !strcmp(name, "ldu"))
		load(encoder);
	else if (!strcmp(name, "st"))
		store(encoder);
	else if (!strcmp(name, "atom") || !strcmp(name, "red"))
		atomic(encoder, *name == 'a');
	else if (!strcmp(name, "membar") || !strcmp(name, "fence"))
		fence_emit(encoder);
	else
		return false;
	return true;
}
