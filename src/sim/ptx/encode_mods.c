/* Modifiers, and instructions that have rows. */
#include <stdio.h>
#include <string.h>

#include "encode.h"
#include "rows.h"

static bool is_listed(const char *mod, const char *list)
{
	size_t length = strlen(mod);

	while (*list) {
		size_t word = strcspn(list, " ");

		if (word && list[word - 1] == '*'
			    ? !strncmp(mod, list, word - 1)
			    : word == length && !strncmp(mod, list, word))
			return true;
		list += word;
		list += strspn(list, " ");
	}
	return false;
}

void ptx_encode_mods(struct ptx_encoder *encoder, const char *list)
{
	const struct ptx_instruction *ins = encoder->ins;

	for (unsigned int i = 0; i < ins->mod_count; i++)
		if (!ptx_type_find(ins->mods[i], strlen(ins->mods[i])) &&
		    !is_listed(ins->mods[i], list))
			ptx_encode_unsupported(encoder);
}

const struct ptx_word *ptx_encode_word(const struct ptx_encoder *encoder,
				       const struct ptx_word *words)
{
	for (; words->name; words++)
		if (ptx_has(encoder->ins, words->name))
			return words;
	return NULL;
}

unsigned int ptx_encode_mode(const struct ptx_encoder *encoder)
{
	static const struct ptx_word rounding[] = {
		{"rn", PTX_MODE_NEAREST},
		{"rz", PTX_MODE_ZERO},
		{"rm", PTX_MODE_DOWN},
		{"rp", PTX_MODE_UP},
		{NULL, 0},
	};
	const struct ptx_word *round = ptx_encode_word(encoder, rounding);

	return (round ? round->value : 0) |
	       (ptx_has(encoder->ins, "ftz") ? PTX_MODE_FLUSH : 0) |
	       (ptx_has(encoder->ins, "sat") ? PTX_MODE_SATURATE : 0);
}

/* Whether the instruction has each of the modifiers "a,b". */
static bool form_fits(const struct ptx_instruction *ins, const char *form)
{
	char word[16];

	while (form && *form) {
		size_t length = strcspn(form, ",");

		memcpy(word, form, length);
		word[length] = '\0';
		if (!ptx_has(ins, word))
			return false;
		form += length + (form[length] == ',');
	}
	return true;
}

static bool row_fits(const struct ptx_instruction *ins,
		     const struct ptx_row *row)
{
	return !strcmp(row->name, ins->name) && ins->type_count &&
	       row->types >> ins->types[0] & 1 &&
	       strlen(row->shape) == ins->operand_count &&
	       form_fits(ins, row->form);
}

static const struct ptx_row *row_find(const struct ptx_instruction *ins)
{
	static const struct ptx_rows *const all[] = {
		&ptx_rows_integer, &ptx_rows_float, &ptx_rows_bits,
		&ptx_rows_select,  &ptx_rows_half,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (size_t k = 0; k < all[i]->count; k++)
			if (row_fits(ins, &all[i]->rows[k]))
				return &all[i]->rows[k];
	return NULL;
}

static size_t shape_bytes(char shape, enum ptx_type type)
{
	size_t bytes = ptx_type_bytes(type);

	switch (shape) {
	case 'W':
		return 2 * bytes;
	case '4':
		return 4;
	case 'P':
		return 0;
	default:
		return type == PTX_PRED ? 0 : bytes;
	}
}

static bool carries_in(const char *name)
{
	return !strcmp(name, "addc") || !strcmp(name, "subc") ||
	       !strcmp(name, "madc");
}

/* Modifiers of a row's form, and those that each kind of number may have. */
static void mods_check(struct ptx_encoder *encoder, const struct ptx_row *row)
{
	bool real = ptx_type_class(encoder->ins->types[0]) == PTX_CLASS_FLOAT;
	bool carries = carries_in(row->name);
	char list[64];

	snprintf(list, sizeof(list), "%s%s", row->form ? row->form : "",
		 real      ? " rn rz rm rp ftz sat approx full"
		 : carries ? " cc"
			   : "");
	for (char *at = list; *at; at++)
		if (*at == ',')
			*at = ' ';
	ptx_encode_mods(encoder, list);
}

/* What only moves bits flushes nothing by itself. */
static bool keeps_bits(const char *name)
{
	return !strcmp(name, "abs") || !strcmp(name, "neg") ||
	       !strcmp(name, "min") || !strcmp(name, "max");
}

static void mode_set(struct ptx_encoder *encoder, struct ptx_op *op)
{
	unsigned int mode = ptx_encode_mode(encoder);
	enum ptx_type type = encoder->ins->types[0];
	const char *name = encoder->ins->name;

	if (carries_in(name) || ptx_has(encoder->ins, "cc")) {
		op->e = encoder->carry;
		op->mode = (carries_in(name) ? 1 : 0) |
			   (ptx_has(encoder->ins, "cc") ? 2 : 0);
		return;
	}
	if (ptx_type_class(type) != PTX_CLASS_FLOAT)
		return;
	if (type != PTX_F32)
		mode &= ~(unsigned int)PTX_MODE_FLUSH;
	if (type != PTX_F32 && type != PTX_F64 && mode & PTX_MODE_ROUND)
		ptx_encode_unsupported(encoder);
	if (!mode)
		return;
	if (mode & PTX_MODE_FLUSH && keeps_bits(name))
		mode |= PTX_MODE_FLUSH_RESULT;
	op->mode = (uint8_t)mode;
	op->inner = op->run;
	op->run = ptx_exec_in_mode;
}

bool ptx_encode_rows(struct ptx_encoder *encoder)
{
	const struct ptx_row *row = row_find(encoder->ins);
	uint32_t slots[5] = {0};
	struct ptx_op *op;

	if (!row)
		return false;
	mods_check(encoder, row);
	for (unsigned int i = 0; row->shape[i]; i++) {
		size_t bytes =
			shape_bytes(row->shape[i], encoder->ins->types[0]);
		const struct ptx_operand *operand =
			ptx_encode_operand(encoder, i);

		slots[i] = i ? ptx_encode_read(encoder, operand, bytes)
			     : ptx_encode_write(encoder, operand, bytes);
	}
	op = ptx_encode_emit(encoder, row->run);
	op->d = slots[0];
	op->a = slots[1];
	op->b = slots[2];
	op->c = slots[3];
	op->e = slots[4];
	op->type = (uint8_t)encoder->ins->types[0];
	if (encoder->ins->type_count > 1)
		op->from_type = (uint8_t)encoder->ins->types[1];
	mode_set(encoder, op);
	return true;
}
