/* Instructions and their operands. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* More digits than the number of any register has. */
enum { NESTED_MOST = 4, DIGITS_MOST = 7 };

static struct ptx_operand operand_read(struct ptx_parser *parser, int nested);

void ptx_parse_pending(struct ptx_parser *parser, struct ptx_operand *operand,
		       struct ptx_name *name)
{
	parser->pending =
		ptx_grow(parser, parser->pending, parser->pending_count,
			 &parser->pending_room, sizeof(*parser->pending));
	parser->pending[parser->pending_count++] = (struct ptx_pending){
		.operand = operand,
		.name = name,
		.depth = parser->names.depth,
		.line = parser->lex.token.line,
	};
}

/* %r12 of registers %r<20>. */
static bool numbered_find(struct ptx_parser *parser, const char *text,
			  struct ptx_operand *operand)
{
	size_t length = strlen(text), digits = length;
	const struct ptx_meaning *meaning;
	unsigned long number;

	while (digits && length - digits < DIGITS_MOST &&
	       isdigit((unsigned char)text[digits - 1]))
		digits--;
	/* "%r1<3>" makes %r10, %r11 and %r12: the longest prefix counts. */
	for (size_t cut = length; cut-- > digits;) {
		if (text[cut] == '0' && cut + 1 < length)
			continue;
		meaning = ptx_name_get(&parser->names, &parser->lex, text, cut)
				  ->meaning;
		if (!meaning || meaning->kind != PTX_MEANS_REGISTERS)
			continue;
		number = strtoul(text + cut, NULL, 10);
		if (number >= meaning->count)
			continue;
		operand->kind = PTX_REGISTER;
		operand->type = meaning->type;
		operand->reg = meaning->first + (unsigned int)number;
		return true;
	}
	return false;
}

static bool meaning_use(const struct ptx_meaning *meaning,
			struct ptx_operand *operand)
{
	if (!meaning)
		return false;
	if (meaning->kind == PTX_MEANS_SYMBOL) {
		operand->kind = PTX_SYMBOL;
		operand->symbol = meaning->symbol;
		return true;
	}
	if (meaning->kind == PTX_MEANS_FUNCTION) {
		operand->kind = PTX_FUNCTION;
		operand->function = meaning->function;
		return true;
	}
	if (meaning->kind == PTX_MEANS_REGISTERS && !meaning->count) {
		operand->kind = PTX_REGISTER;
		operand->type = meaning->type;
		operand->reg = meaning->first;
		return true;
	}
	return false;
}

/* A name: of a register, a variable, a label, ... */
static struct ptx_operand name_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_name *name = ptx_need_name(parser, "an operand");
	struct ptx_operand operand = {.name = name->text};

	if (!strcmp(name->text, "_"))
		return operand;
	if (meaning_use(name->meaning, &operand) ||
	    numbered_find(parser, name->text, &operand))
		return operand;
	if (!strcmp(name->text, "WARP_SZ")) {
		operand.kind = PTX_INTEGER;
		operand.value = 32;
	} else if (*name->text == '%') {
		operand.kind = PTX_SPECIAL;
		if (lex->token.kind == PTX_T_DOT && lex->token.length == 1) {
			operand.part = *lex->token.text;
			ptx_next(lex);
		}
	} else {
		operand.kind = PTX_LABEL;
	}
	return operand;
}

static struct ptx_operand number_read(struct ptx_lexer *lex)
{
	struct ptx_operand operand = {.kind = PTX_INTEGER};
	bool minus = ptx_take_sign(lex, '-');

	if (lex->token.kind == PTX_T_REAL) {
		operand.kind = PTX_REAL;
		operand.type = lex->token.single ? PTX_F32 : PTX_F64;
		operand.real = minus ? -lex->token.real : lex->token.real;
		operand.value = (int64_t)lex->token.value;
		if (minus)
			operand.value ^= operand.type == PTX_F32
						 ? INT64_C(1) << 31
						 : INT64_MIN;
		ptx_next(lex);
		return operand;
	}
	if (lex->token.kind != PTX_T_INTEGER)
		ptx_expected(lex, "an operand");
	operand.value = (int64_t)ptx_need_integer(lex);
	if (minus)
		operand.value = (int64_t) - (uint64_t)operand.value;
	return operand;
}

/* "+ 8", "+-8" or "-8" behind an address. */
static int64_t offset_read(struct ptx_lexer *lex)
{
	bool minus = ptx_is_sign(lex, '-');
	uint64_t value;

	if (!ptx_is_sign(lex, '+') && !minus)
		return 0;
	ptx_next(lex);
	if (!minus)
		minus = ptx_take_sign(lex, '-');
	value = ptx_need_integer(lex);
	return (int64_t)(minus ? -value : value);
}

/* Operands up to a closing bracket, separated by commas. */
static void items_read(struct ptx_parser *parser, struct ptx_operand *made,
		       char close, int nested)
{
	struct ptx_lexer *lex = &parser->lex;
	size_t room = 0;

	while (!ptx_take_sign(lex, close)) {
		struct ptx_operand item = operand_read(parser, nested + 1);

		if (item.kind == PTX_LABEL)
			ptx_fail(lex, "'%.60s' is not declared", item.name);
		made->items = ptx_grow(parser, made->items, made->count, &room,
				       sizeof(item));
		made->items[made->count++] = item;
		if (!ptx_is_sign(lex, close))
			ptx_need_sign(lex, ',');
	}
}

static struct ptx_operand memory_read(struct ptx_parser *parser, int nested)
{
	struct ptx_operand made = {.kind = PTX_MEMORY};

	items_read(parser, &made, ']', nested);
	if (!made.count)
		ptx_expected(&parser->lex, "an address");
	made.value =
		made.items[0].kind == PTX_INTEGER ? 0 : made.items[0].value;
	return made;
}

static struct ptx_operand operand_read(struct ptx_parser *parser, int nested)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_operand made = {0};

	if (nested > NESTED_MOST)
		ptx_fail(lex, "too many brackets");
	if (ptx_take_sign(lex, '[')) {
		made = memory_read(parser, nested);
	} else if (ptx_take_sign(lex, '{')) {
		made.kind = PTX_VECTOR;
		items_read(parser, &made, '}', nested);
	} else if (ptx_take_sign(lex, '(')) {
		made.kind = PTX_LIST;
		items_read(parser, &made, ')', nested);
	} else if (ptx_take_sign(lex, '!')) {
		made = name_read(parser);
		made.negated = true;
	} else if (lex->token.kind == PTX_T_WORD) {
		made = name_read(parser);
		if (made.kind == PTX_REGISTER && lex->token.kind == PTX_T_DOT) {
			made.selected =
				ptx_name_get(&parser->names, lex,
					     lex->token.text, lex->token.length)
					->text;
			ptx_next(lex);
		}
		if (made.kind == PTX_REGISTER || made.kind == PTX_SYMBOL)
			made.value = offset_read(lex);
	} else {
		made = number_read(lex);
	}
	if (ptx_take_sign(lex, '|')) {
		struct ptx_operand pair = {.kind = PTX_PAIR, .count = 2};

		pair.items = ptx_get(lex, 2 * sizeof(made));
		pair.items[0] = made;
		pair.items[1] = operand_read(parser, nested + 1);
		if (made.kind == PTX_LABEL || pair.items[1].kind == PTX_LABEL)
			ptx_fail(lex, "a register expected in front of '|'");
		return pair;
	}
	return made;
}

void ptx_parse_guard(struct ptx_parser *parser, struct ptx_instruction *made)
{
	struct ptx_operand guard;

	ptx_need_sign(&parser->lex, '@');
	made->guarded = true;
	made->guard_negated = ptx_take_sign(&parser->lex, '!');
	guard = name_read(parser);
	if (guard.kind != PTX_REGISTER || guard.type != PTX_PRED)
		ptx_fail(&parser->lex, "'%.60s' is no predicate", guard.name);
	made->guard = guard.reg;
}

/* The words behind an instruction's name. */
static void mods_read(struct ptx_parser *parser, struct ptx_instruction *made)
{
	struct ptx_lexer *lex = &parser->lex;
	const char *mods[PTX_MODS_MOST];

	for (; lex->token.kind == PTX_T_DOT; ptx_next(lex)) {
		enum ptx_type type =
			ptx_type_find(lex->token.text, lex->token.length);

		if (made->mod_count == PTX_MODS_MOST)
			ptx_fail(lex, "too many modifiers");
		mods[made->mod_count++] =
			ptx_name_get(&parser->names, lex, lex->token.text,
				     lex->token.length)
				->text;
		if (type && made->type_count < PTX_TYPES_MOST)
			made->types[made->type_count++] = type;
	}
	if (!made->mod_count)
		return;
	made->mods = ptx_get(lex, made->mod_count * sizeof(*mods));
	memcpy(made->mods, mods, made->mod_count * sizeof(*mods));
}

static void operands_read(struct ptx_parser *parser,
			  struct ptx_instruction *made)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_operand operands[PTX_OPERANDS_MOST];

	while (!ptx_is_sign(lex, ';')) {
		if (made->operand_count == PTX_OPERANDS_MOST)
			ptx_fail(lex, "too many operands");
		operands[made->operand_count++] = operand_read(parser, 0);
		if (!ptx_is_sign(lex, ';'))
			ptx_need_sign(lex, ',');
	}
	if (made->operand_count) {
		size_t bytes = made->operand_count * sizeof(*operands);

		made->operands = ptx_get(lex, bytes);
		memcpy(made->operands, operands, bytes);
	}
	for (unsigned int i = 0; i < made->operand_count; i++) {
		struct ptx_operand *at = &made->operands[i];

		if (at->kind == PTX_FUNCTION && strcmp(made->name, "call"))
			ptx_function_point(at->function);
		if (at->kind == PTX_LABEL)
			ptx_parse_pending(parser, at,
					  ptx_name_get(&parser->names, lex,
						       at->name,
						       strlen(at->name)));
	}
	ptx_need_sign(lex, ';');
}

void ptx_parse_instruction(struct ptx_parser *parser, struct ptx_name *name,
			   unsigned int line)
{
	struct ptx_function *function = parser->function;
	struct ptx_instruction made = {.line = line};

	if (!name) {
		ptx_parse_guard(parser, &made);
		name = ptx_need_name(parser, "an instruction");
	}
	made.name = name->text;
	mods_read(parser, &made);
	operands_read(parser, &made);
	function->code = ptx_grow(parser, function->code, function->code_count,
				  &function->code_room, sizeof(made));
	function->code[function->code_count++] = made;
}
