/* Video instructions: arithmetic of bytes and halves of registers. */
#include <string.h>

#include "encode.h"
#include "video.h"

enum { WORD_BITS = 32, RESULT = 0, FIRST, SECOND, THIRD };

/* Names without the number of parts at the end, which 2 and 4 stand for. */
static const struct {
	const char *name;
	enum ptx_video_what what;
	bool single, many; /* whether there is one of a word, and of parts */
} names[] = {
	{"vadd", PTX_VIDEO_ADD, true, true},
	{"vsub", PTX_VIDEO_SUB, true, true},
	{"vabsdiff", PTX_VIDEO_ABSDIFF, true, true},
	{"vmin", PTX_VIDEO_MIN, true, true},
	{"vmax", PTX_VIDEO_MAX, true, true},
	{"vavrg", PTX_VIDEO_AVERAGE, false, true},
	{"vset", PTX_VIDEO_SET, true, true},
	{"vshl", PTX_VIDEO_SHL, true, false},
	{"vshr", PTX_VIDEO_SHR, true, false},
};

static bool name_find(const char *name, struct ptx_video *video)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i].name);
		bool single = !name[length];

		if (strncmp(name, names[i].name, length) != 0)
			continue;
		if (!single && strcmp(name + length, "2") != 0 &&
		    strcmp(name + length, "4") != 0)
			continue;
		video->what = names[i].what;
		video->parts = single ? 1 : name[length] == '4' ? 4 : 2;
		return single ? names[i].single : names[i].many;
	}
	return false;
}

/* "b2" or "h1": the width, and which one. Without one it is all of it. */
static void single_read(struct ptx_encoder *encoder, const char *text,
			struct ptx_video_part *part)
{
	unsigned int at = text ? (unsigned int)text[1] - '0' : 0;

	part->bits = !text ? WORD_BITS : *text == 'b' ? 8 : 16;
	part->at[0] = (uint8_t)at;
	if (text && ((*text != 'b' && *text != 'h') || !text[1] || text[2] ||
		     at >= WORD_BITS / part->bits))
		ptx_encode_unsupported(encoder);
}

/* "b7531": which of the parts of both operands is in the place of each; the
 * last one comes first. */
static void order_read(struct ptx_encoder *encoder, const char *text,
		       unsigned int parts, struct ptx_video_part *part)
{
	part->bits = (uint8_t)(WORD_BITS / parts);
	if (*text != (parts == 4 ? 'b' : 'h') || strlen(text) != parts + 1)
		ptx_encode_unsupported(encoder);
	for (unsigned int i = 0; i < parts; i++) {
		unsigned int at = (unsigned int)text[parts - i] - '0';

		if (at >= 2 * parts)
			ptx_encode_unsupported(encoder);
		part->at[i] = (uint8_t)at;
	}
}

/* "b20": the parts of the result that are made. */
static void mask_read(struct ptx_encoder *encoder, const char *text,
		      struct ptx_video *video)
{
	video->to.bits = (uint8_t)(WORD_BITS / video->parts);
	for (unsigned int i = 0; i < video->parts; i++)
		video->to.at[i] = (uint8_t)i;
	video->mask = text ? 0 : (1u << video->parts) - 1;
	if (text && *text != (video->parts == 4 ? 'b' : 'h'))
		ptx_encode_unsupported(encoder);
	for (text = text ? text + 1 : ""; *text; text++) {
		unsigned int at = (unsigned int)*text - '0';

		if (at >= video->parts)
			ptx_encode_unsupported(encoder);
		video->mask |= 1u << at;
	}
}

static const char *selected(struct ptx_encoder *encoder, unsigned int i)
{
	return ptx_encode_operand(encoder, i)->selected;
}

static void parts_read(struct ptx_encoder *encoder, struct ptx_video *video)
{
	const char *a = selected(encoder, FIRST);
	const char *b = selected(encoder, SECOND);

	if (video->parts == 1) {
		single_read(encoder, a, &video->a);
		single_read(encoder, b, &video->b);
		video->b.at[0] += WORD_BITS / video->b.bits;
		single_read(encoder, selected(encoder, RESULT), &video->to);
		video->mask = 1;
		return;
	}
	order_read(encoder,
		   a                   ? a
		   : video->parts == 4 ? "b3210"
				       : "h10",
		   video->parts, &video->a);
	order_read(encoder,
		   b                   ? b
		   : video->parts == 4 ? "b7654"
				       : "h32",
		   video->parts, &video->b);
	mask_read(encoder, selected(encoder, RESULT), video);
}

/* What is done with the third operand. */
static void then_read(struct ptx_encoder *encoder, struct ptx_video *video)
{
	static const struct ptx_word seconds[] = {
		{"add", PTX_VIDEO_THEN_ADD},
		{"min", PTX_VIDEO_THEN_MIN},
		{"max", PTX_VIDEO_THEN_MAX},
		{NULL, 0},
	};
	const struct ptx_word *second = ptx_encode_word(encoder, seconds);
	unsigned int count = encoder->ins->operand_count;

	if (second) {
		video->then = (enum ptx_video_then)second->value;
		if (video->parts == 1 ? video->to.bits != WORD_BITS
				      : video->then != PTX_VIDEO_THEN_ADD)
			ptx_encode_unsupported(encoder);
	} else if (count > THIRD) {
		video->then = PTX_VIDEO_THEN_MERGE;
	}
	if (count != (video->then ? THIRD + 1 : THIRD) ||
	    (!video->then && (video->parts > 1 || video->to.bits < WORD_BITS)))
		ptx_encode_unsupported(encoder);
}

static bool is_signed(struct ptx_encoder *encoder, unsigned int i)
{
	enum ptx_type type = ptx_encode_type(encoder, i);

	if (type != PTX_U32 && type != PTX_S32)
		ptx_encode_unsupported(encoder);
	return type == PTX_S32;
}

/* A comparison makes a number without a sign, and has no type for it. */
static void types_read(struct ptx_encoder *encoder, struct ptx_video *video)
{
	static const struct ptx_word accepted[] = {
		{"eq", PTX_EQUAL},   {"ne", PTX_LESS | PTX_GREATER},
		{"lt", PTX_LESS},    {"le", PTX_LESS | PTX_EQUAL},
		{"gt", PTX_GREATER}, {"ge", PTX_GREATER | PTX_EQUAL},
		{NULL, 0},
	};
	bool sets = video->what == PTX_VIDEO_SET;
	const struct ptx_word *accept = ptx_encode_word(encoder, accepted);

	ptx_encode_mods(encoder, sets ? "eq ne lt le gt ge add min max"
				 : video->what >= PTX_VIDEO_SHL
					 ? "sat add min max clamp wrap"
					 : "sat add min max");
	video->to.has_sign = !sets && is_signed(encoder, 0);
	video->a.has_sign = is_signed(encoder, sets ? 0 : 1);
	video->b.has_sign = is_signed(encoder, sets ? 1 : 2);
	video->saturates = ptx_has(encoder->ins, "sat");
	video->wraps = ptx_has(encoder->ins, "wrap");
	if (sets && !accept)
		ptx_encode_unsupported(encoder);
	video->accept = accept ? accept->value : 0;
}

static struct ptx_operand whole(struct ptx_encoder *encoder, unsigned int i)
{
	struct ptx_operand operand = *ptx_encode_operand(encoder, i);

	operand.selected = NULL;
	return operand;
}

bool ptx_encode_video(struct ptx_encoder *encoder)
{
	struct ptx_video made = {0}, *video;
	struct ptx_operand operand;
	uint32_t slots[THIRD + 1] = {0};
	struct ptx_op *op;

	if (!name_find(encoder->ins->name, &made))
		return false;
	types_read(encoder, &made);
	parts_read(encoder, &made);
	then_read(encoder, &made);
	for (unsigned int i = FIRST; i < encoder->ins->operand_count; i++) {
		operand = i == THIRD ? *ptx_encode_operand(encoder, i)
				     : whole(encoder, i);
		slots[i] = ptx_encode_read(encoder, &operand, 4);
	}
	operand = whole(encoder, RESULT);
	slots[RESULT] = ptx_encode_write(encoder, &operand, 4);
	video = ptx_encode_get(encoder, sizeof(*video));
	*video = made;
	op = ptx_encode_emit(encoder, ptx_exec_video);
	op->d = slots[RESULT];
	op->a = slots[FIRST];
	op->b = slots[SECOND];
	op->c = slots[THIRD];
	op->list = (const uint32_t *)video;
	return true;
}
