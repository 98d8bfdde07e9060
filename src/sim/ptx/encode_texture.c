/* Textures and surfaces: by the numbers of their objects. */
#include <string.h>

#include "encode.h"

enum { COORDINATES = 3, CHANNELS = 4 };

static const struct ptx_word geometries[] = {
	{"1d", 1},
	{"2d", 2},
	{"3d", 3},
	{"a1d", PTX_TEXTURE_LAYERS | 1},
	{"a2d", PTX_TEXTURE_LAYERS | 2},
	{"cube", PTX_TEXTURE_CUBE | 3},
	{"acube", PTX_TEXTURE_CUBE | PTX_TEXTURE_LAYERS | 3},
	{NULL, 0},
};

/* [object, {x, y}]: the object's slot, and those of the coordinates; in layers
 * the first one is the layer, which goes into the place of z, or behind all of
 * a cube. */
static uint32_t place_read(struct ptx_encoder *encoder,
			   const struct ptx_operand *memory,
			   const struct ptx_word *geometry, uint32_t *list)
{
	unsigned int count = geometry->value & 3;
	unsigned int layers = geometry->value & PTX_TEXTURE_LAYERS ? 1 : 0;
	const struct ptx_operand *at;

	if (memory->kind != PTX_MEMORY || memory->count != 2 || memory->value)
		ptx_encode_unsupported(encoder);
	at = &memory->items[1];
	if (at->kind != PTX_VECTOR || at->count < count + layers)
		ptx_encode_unsupported(encoder);
	for (unsigned int i = 0; i < COORDINATES; i++)
		list[i] = i < count ? ptx_encode_read(encoder,
						      &at->items[i + layers], 4)
				    : ptx_encode_number(encoder, 4, 0);
	if (layers)
		list[geometry->value & PTX_TEXTURE_CUBE ? PTX_TEXTURE_CUBE_LAYER
							: 2] =
			ptx_encode_read(encoder, &at->items[0], 4);
	return ptx_encode_read(encoder, &memory->items[0], 8);
}

/* The slopes along two directions; in a vector there may be more than there are
 * dimensions. */
static void slopes_read(struct ptx_encoder *encoder, unsigned int count,
			uint32_t *list)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct ptx_operand *at =
			ptx_encode_operand(encoder, 2 + i);

		if (at->kind != PTX_VECTOR || at->count < count)
			ptx_encode_unsupported(encoder);
		for (unsigned int k = 0; k < COORDINATES; k++)
			list[COORDINATES * i + k] =
				k < count ? ptx_encode_read(encoder,
							    &at->items[k], 4)
					  : ptx_encode_number(encoder, 4, 0);
	}
}

/* What stands behind the coordinates of tex.level and tex.grad. */
static enum ptx_detail_how detail_read(struct ptx_encoder *encoder,
				       unsigned int geometry, uint32_t *list)
{
	static const struct ptx_word hows[] = {
		{"level", PTX_DETAIL_LEVEL},
		{"grad", PTX_DETAIL_SLOPES},
		{NULL, PTX_DETAIL_NONE},
	};
	const struct ptx_word *how = ptx_encode_word(encoder, hows);
	unsigned int count = encoder->ins->operand_count;

	for (unsigned int i = PTX_TEXTURE_CUBE_LAYER; i < PTX_TEXTURE_SLOTS;
	     i++)
		list[i] = ptx_encode_number(encoder, 4, 0);
	if (!how && count == 2)
		return PTX_DETAIL_NONE;
	if (how && how->value == PTX_DETAIL_LEVEL && count == 3) {
		list[PTX_TEXTURE_LEVEL] = ptx_encode_read(
			encoder, ptx_encode_operand(encoder, 2), 4);
		return PTX_DETAIL_LEVEL;
	}
	if (!how || count != 4 || geometry & PTX_TEXTURE_CUBE)
		ptx_encode_unsupported(encoder);
	slopes_read(encoder, geometry & 3, list + PTX_TEXTURE_LEVEL);
	return PTX_DETAIL_SLOPES;
}

/* tex, and tld4: one channel of four elements. */
static void texture(struct ptx_encoder *encoder, bool gather)
{
	static const struct ptx_word channels[] = {
		{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}, {NULL, 0},
	};
	const struct ptx_word *geometry = ptx_encode_word(encoder, geometries);
	const struct ptx_word *channel = ptx_encode_word(encoder, channels);
	enum ptx_detail_how how;
	const struct ptx_operand *to = ptx_encode_operand(encoder, 0);
	enum ptx_type type = ptx_encode_type(encoder, 0);
	enum ptx_type from = ptx_encode_type(encoder, 1);
	uint32_t *list =
		ptx_encode_get(encoder, PTX_TEXTURE_SLOTS * sizeof(*list));
	struct ptx_op *op;
	uint32_t object;

	ptx_encode_mods(
		encoder,
		gather ? "2d a2d v4 r g b a"
		       : "1d 2d 3d a1d a2d cube acube v4 base level grad");
	if (!geometry || (gather && !channel) || to->kind != PTX_VECTOR ||
	    to->count != CHANNELS || ptx_type_bytes(type) != 4 ||
	    (from != PTX_F32 && from != PTX_S32))
		ptx_encode_unsupported(encoder);
	how = detail_read(encoder, geometry->value, list);
	if (from != PTX_F32 &&
	    (how || gather || geometry->value & PTX_TEXTURE_CUBE))
		ptx_encode_unsupported(encoder);
	object = place_read(encoder, ptx_encode_operand(encoder, 1), geometry,
			    list);
	for (unsigned int i = 0; i < CHANNELS; i++)
		list[COORDINATES + i] =
			ptx_encode_write(encoder, &to->items[i], 4);
	op = ptx_encode_emit(encoder, ptx_exec_texture);
	op->a = object;
	op->list = list;
	op->type = (uint8_t)type;
	op->from_type = (uint8_t)from;
	op->mode = (uint8_t)geometry->value;
	op->target = gather ? PTX_DETAIL_GATHER : how;
	op->e = channel ? channel->value : 0;
}

/* suld.b and sust.b: bytes as they are. */
static void surface(struct ptx_encoder *encoder, bool store)
{
	static const struct ptx_word bounds[] = {
		{"trap", PTX_SURFACE_TRAP},
		{"clamp", PTX_SURFACE_CLAMP},
		{"zero", PTX_SURFACE_ZERO},
		{NULL, 0},
	};
	const struct ptx_word *geometry = ptx_encode_word(encoder, geometries);
	const struct ptx_word *bound = ptx_encode_word(encoder, bounds);
	const struct ptx_operand *value = ptx_encode_operand(encoder, store);
	size_t bytes = ptx_type_bytes(ptx_encode_type(encoder, 0));
	bool vector = value->kind == PTX_VECTOR;
	unsigned int count = vector ? value->count : 1;
	uint32_t *list = ptx_encode_get(
		encoder, (COORDINATES + 2 * (size_t)count) * sizeof(*list));
	struct ptx_op *op;
	uint32_t object;

	ptx_encode_mods(encoder, "b 1d 2d 3d a1d a2d v2 v4 trap clamp zero "
				 "ca cg cs cv wb wt");
	if (!geometry || !bound || !ptx_has(encoder->ins, "b") || bytes > 8 ||
	    encoder->ins->operand_count != 2 || !count || count > CHANNELS ||
	    count == 3)
		ptx_encode_unsupported(encoder);
	object = place_read(encoder, ptx_encode_operand(encoder, !store),
			    geometry, list);
	for (unsigned int i = 0; i < count; i++) {
		const struct ptx_operand *item =
			vector ? &value->items[i] : value;
		size_t width = ptx_encode_width(item, bytes);

		if (width < bytes)
			ptx_encode_unsupported(encoder);
		list[COORDINATES + 2 * i] =
			store ? ptx_encode_read(encoder, item, width)
			      : ptx_encode_write(encoder, item, width);
		list[COORDINATES + 2 * i + 1] = (uint32_t)width;
	}
	op = ptx_encode_emit(encoder, store ? ptx_exec_surface_store
					    : ptx_exec_surface_load);
	op->a = object;
	op->list = list;
	op->count = count;
	op->bytes = (uint8_t)bytes;
	op->target = bound->value;
	op->mode = (uint8_t)geometry->value;
}

/* txq and suq: how large it is. */
static void query(struct ptx_encoder *encoder)
{
	static const struct ptx_word sizes[] = {
		{"width", 0},      {"height", 1}, {"depth", 2},
		{"array_size", 2}, {NULL, 0},
	};
	const struct ptx_word *size = ptx_encode_word(encoder, sizes);
	const struct ptx_operand *from = ptx_encode_operand(encoder, 1);
	struct ptx_op *op;
	uint32_t d, a;

	ptx_encode_mods(encoder, "width height depth array_size");
	if (!size || from->kind != PTX_MEMORY || from->count != 1)
		ptx_encode_unsupported(encoder);
	a = ptx_encode_read(encoder, &from->items[0], 8);
	d = ptx_encode_write(encoder, ptx_encode_operand(encoder, 0), 4);
	op = ptx_encode_emit(encoder, ptx_exec_texture_size);
	op->d = d;
	op->a = a;
	op->target = size->value;
}

bool ptx_encode_texture(struct ptx_encoder *encoder)
{
	const char *name = encoder->ins->name;

	if (!strcmp(name, "tex") || !strcmp(name, "tld4"))
		texture(encoder, name[1] == 'l');
	else if (!strcmp(name, "suld") || !strcmp(name, "sust"))
		surface(encoder, name[2] == 's');
	else if (!strcmp(name, "txq") || !strcmp(name, "suq"))
		query(encoder);
	else
		return false;
	return true;
}
