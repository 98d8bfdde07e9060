/* What is in the body of a function, and is no instruction: registers, labels,
 * braces. */
#include "parse.h"

enum { REGISTERS_MOST = 1 << 20, DEPTH_MOST = 1000 };

/* .reg .b32 %r<10>, a, b; */
static void registers_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_function *function = parser->function;
	enum ptx_type type = PTX_NO_TYPE;

	for (; lex->token.kind == PTX_T_DOT; ptx_next(lex)) {
		type = ptx_type_find(lex->token.text, lex->token.length);
		if (!type)
			ptx_expected(lex, "the type of a register");
	}
	if (!type)
		ptx_expected(lex, "a type");
	do {
		struct ptx_name *name = ptx_need_name(parser, "a register");
		struct ptx_meaning *made = ptx_name_declare(
			&parser->names, lex, name, PTX_MEANS_REGISTERS);
		uint64_t count = 1;

		if (ptx_take_sign(lex, '<')) {
			count = ptx_need_integer(lex);
			made->count = (unsigned int)count;
			ptx_need_sign(lex, '>');
		}
		if (count > REGISTERS_MOST - function->register_count)
			ptx_fail(lex, "more than %d registers", REGISTERS_MOST);
		made->type = type;
		made->first = (unsigned int)function->register_count;
		for (; count; count--) {
			function->registers = ptx_grow(
				parser, function->registers,
				function->register_count,
				&function->register_room, sizeof(type));
			function->registers[function->register_count++] = type;
		}
	} while (ptx_take_sign(lex, ','));
	ptx_need_sign(lex, ';');
}

/* What a label names besides a place: from behind ".branchtargets" and the
 * like to the semicolon. */
static void label_directive(struct ptx_parser *parser, struct ptx_label *label)
{
	struct ptx_lexer *lex = &parser->lex;
	size_t room = 0;

	if (ptx_take_dot(lex, "branchtargets")) {
		struct ptx_name **names = NULL;

		do {
			names = ptx_grow(parser, names, label->target_count,
					 &room, sizeof(struct ptx_name *));
			names[label->target_count++] =
				ptx_need_name(parser, "a label");
		} while (ptx_take_sign(lex, ','));
		label->targets = ptx_get(lex, label->target_count *
						      sizeof(*label->targets));
		for (size_t i = 0; i < label->target_count; i++) {
			label->targets[i].kind = PTX_LABEL;
			ptx_parse_pending(parser, &label->targets[i], names[i]);
		}
		ptx_need_sign(lex, ';');
	} else if (ptx_is_dot(lex, "callprototype") ||
		   ptx_is_dot(lex, "calltargets")) {
		ptx_parse_statement_skip(lex);
	}
}

static void label_read(struct ptx_parser *parser, struct ptx_name *name)
{
	struct ptx_meaning *meaning = name->meaning;
	struct ptx_label *label;

	if (meaning && meaning->kind == PTX_MEANS_LABEL &&
	    meaning->depth == parser->names.depth)
		ptx_fail(&parser->lex, "the label '%.60s' is there twice",
			 name->text);
	label = ptx_get(&parser->lex, sizeof(*label));
	label->name = name->text;
	label->at = parser->function->code_count;
	ptx_name_declare(&parser->names, &parser->lex, name, PTX_MEANS_LABEL)
		->label = label;
	label_directive(parser, label);
}

/* Closes braces: labels in them are known now. */
static void scope_close(struct ptx_parser *parser)
{
	unsigned int depth = parser->names.depth;
	size_t kept = parser->pending_count;
	size_t first;

	while (kept && parser->pending[kept - 1].depth == depth)
		kept--;
	first = kept;
	for (size_t i = first; i < parser->pending_count; i++) {
		struct ptx_pending pending = parser->pending[i];
		const struct ptx_meaning *meaning = pending.name->meaning;

		if (meaning && meaning->kind == PTX_MEANS_LABEL &&
		    meaning->depth == depth) {
			pending.operand->label = meaning->label;
			continue;
		}
		if (depth == 2) { /* the body of the function */
			parser->lex.token.line = pending.line;
			ptx_fail(&parser->lex, "'%.60s' is not declared",
				 pending.name->text);
		}
		pending.depth--;
		parser->pending[kept++] = pending;
	}
	parser->pending_count = kept;
	ptx_names_close(&parser->names);
}

static void body_directive(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	static const struct ptx_linkage none;

	if (ptx_take_dot(lex, "reg"))
		registers_read(parser);
	else if (ptx_take_dot(lex, "local"))
		ptx_parse_variables(parser, PTX_IN_LOCAL, none);
	else if (ptx_take_dot(lex, "shared"))
		ptx_parse_variables(parser, PTX_IN_SHARED, none);
	else if (ptx_take_dot(lex, "param"))
		ptx_parse_variables(parser, PTX_IN_PARAM, none);
	else if (ptx_take_dot(lex, "global"))
		ptx_parse_variables(parser, PTX_IN_GLOBAL, none);
	else if (ptx_take_dot(lex, "const"))
		ptx_parse_variables(parser, PTX_IN_CONST, none);
	else
		ptx_parse_directive(parser);
}

static void statement_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	unsigned int line = lex->token.line;
	struct ptx_name *name;

	if (lex->token.kind == PTX_T_DOT) {
		body_directive(parser);
	} else if (ptx_is_sign(lex, '@')) {
		ptx_parse_instruction(parser, NULL, line);
	} else if (!ptx_take_sign(lex, ';')) {
		name = ptx_need_name(parser, "an instruction");
		if (ptx_take_sign(lex, ':'))
			label_read(parser, name);
		else
			ptx_parse_instruction(parser, name, line);
	}
}

void ptx_parse_body(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	unsigned int outside = parser->names.depth;

	ptx_need_sign(lex, '{');
	ptx_names_open(&parser->names);
	while (parser->names.depth > outside) {
		if (ptx_take_sign(lex, '{')) {
			if (parser->names.depth == DEPTH_MOST)
				ptx_fail(lex, "more than %d braces",
					 DEPTH_MOST);
			ptx_names_open(&parser->names);
		} else if (ptx_take_sign(lex, '}')) {
			scope_close(parser);
		} else {
			statement_read(parser);
		}
	}
}
