/* Functions: their heads, and what is not an instruction in their bodies. */
#include <string.h>

#include "parse.h"

enum { REGISTERS_MOST = 1 << 20, DEPTH_MOST = 1000, PARAMS_MOST = 1 << 16 };

/* "(.param .b32 a, .param .b64 b)", which may be empty. */
static struct ptx_symbol *params_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_symbol *first = NULL, **end = &first;

	ptx_need_sign(lex, '(');
	while (!ptx_is_sign(lex, ')')) {
		if (ptx_take_dot(lex, "param"))
			ptx_parse_param(parser, PTX_IN_PARAM, &end);
		else if (ptx_take_dot(lex, "reg"))
			ptx_parse_param(parser, PTX_IN_REGISTER, &end);
		else
			ptx_expected(lex, "a parameter");
		if (!ptx_is_sign(lex, ')'))
			ptx_need_sign(lex, ',');
	}
	ptx_next(lex);
	return first;
}

/* The results stand in front of the function's name, which is the module's. */
static struct ptx_symbol *results_read(struct ptx_parser *parser)
{
	struct ptx_symbol *results;

	ptx_names_open(&parser->names);
	results = params_read(parser);
	ptx_names_close(&parser->names);
	return results;
}

static void results_declare(struct ptx_parser *parser, struct ptx_symbol *at)
{
	for (; at; at = at->next)
		ptx_name_declare(&parser->names, &parser->lex,
				 ptx_name_get(&parser->names, &parser->lex,
					      at->name, strlen(at->name)),
				 PTX_MEANS_SYMBOL)
			->symbol = at;
}

/* A function of this name that was declared before, or a new one. */
static struct ptx_function *function_get(struct ptx_parser *parser,
					 struct ptx_name *name)
{
	struct ptx_meaning *meaning = name->meaning;
	struct ptx_module *module = parser->module;
	struct ptx_function *made;

	if (meaning && meaning->kind == PTX_MEANS_FUNCTION)
		return meaning->function;
	made = ptx_get(&parser->lex, sizeof(*made));
	made->name = name->text;
	ptx_name_declare(&parser->names, &parser->lex, name, PTX_MEANS_FUNCTION)
		->function = made;
	*module->functions_end = made;
	module->functions_end = &made->next;
	return made;
}

static void numbers_read(struct ptx_parser *parser, unsigned int *numbers)
{
	struct ptx_lexer *lex = &parser->lex;
	unsigned int count = 0;

	for (unsigned int i = 0; i < 3; i++)
		numbers[i] = 1;
	do {
		uint64_t number = ptx_need_integer(lex);

		if (count < 3)
			numbers[count++] = (unsigned int)number;
	} while (ptx_take_sign(lex, ','));
}

/* .maxntid 128, 1, 1 and the like, between the head and the body. */
static void limits_read(struct ptx_parser *parser, struct ptx_kernel *kernel)
{
	struct ptx_lexer *lex = &parser->lex;

	while (lex->token.kind == PTX_T_DOT) {
		if (ptx_take_dot(lex, "reqntid")) {
			numbers_read(parser, kernel->max_threads);
			kernel->exact_threads = true;
		} else if (ptx_take_dot(lex, "maxntid")) {
			numbers_read(parser, kernel->max_threads);
		} else if (ptx_is_dot(lex, "pragma")) {
			ptx_parse_directive(parser);
		} else {
			ptx_next(lex);
			while (lex->token.kind == PTX_T_INTEGER ||
			       ptx_is_sign(lex, ','))
				ptx_next(lex);
			if (ptx_is_sign(lex, '('))
				ptx_parse_skip(parser, '(', ')');
		}
	}
}

static void kernel_fill(struct ptx_parser *parser,
			struct ptx_function *function,
			struct ptx_kernel *kernel)
{
	struct ptx_param *params;
	size_t i = 0;

	kernel->name = function->name;
	for (struct ptx_symbol *at = function->params; at; at = at->next)
		kernel->param_count++;
	params = ptx_get(&parser->lex, kernel->param_count * sizeof(*params));
	kernel->params = params;
	for (struct ptx_symbol *at = function->params; at; at = at->next) {
		enum ptx_class class = ptx_type_class(at->type);
		size_t place = (kernel->param_bytes + at->align - 1) &
			       ~(at->align - 1);

		if (at->unsized || at->space != PTX_IN_PARAM)
			ptx_fail(&parser->lex,
				 "'%.60s' is no parameter of a "
				 "kernel",
				 at->name);
		params[i++] = (struct ptx_param){
			.name = at->name,
			.kind = at->array                  ? PTX_PARAM_BYTES
				: class == PTX_CLASS_FLOAT ? PTX_PARAM_FLOAT
				: class == PTX_CLASS_BITS  ? PTX_PARAM_BITS
							   : PTX_PARAM_INTEGER,
			.size = at->size,
			.align = at->align,
			.offset = place,
		};
		at->offset = place;
		at->of_kernel = true;
		kernel->param_bytes = place + at->size;
		if (kernel->param_bytes > PARAMS_MOST)
			ptx_fail(&parser->lex,
				 "more than %d bytes of "
				 "parameters",
				 PARAMS_MOST);
	}
	function->kernel = *kernel;
}

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
		struct ptx_name *names[1024];

		do {
			if (label->target_count ==
			    sizeof(names) / sizeof(names[0]))
				ptx_fail(lex, "too many targets");
			names[label->target_count++] =
				ptx_need_name(parser, "a label");
		} while (ptx_take_sign(lex, ','));
		room = label->target_count * sizeof(*label->targets);
		label->targets = ptx_get(lex, room);
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

static void body_read(struct ptx_parser *parser)
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

void ptx_parse_function(struct ptx_parser *parser, bool entry,
			struct ptx_linkage linkage)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_symbol *results = NULL;
	struct ptx_function *function;
	struct ptx_kernel kernel = {0};
	unsigned int line = lex->token.line;

	if (ptx_take_dot(lex, "attribute"))
		ptx_parse_skip(parser, '(', ')');
	if (!entry && ptx_is_sign(lex, '('))
		results = results_read(parser);
	function = function_get(parser, ptx_need_name(parser, "a function"));
	if (function->body)
		ptx_fail(lex, "the function '%.60s' is there twice",
			 function->name);
	function->results = results;
	function->params = NULL;
	ptx_names_open(&parser->names);
	results_declare(parser, results);
	if (ptx_is_sign(lex, '('))
		function->params = params_read(parser);
	function->line = line;
	function->entry = entry;
	limits_read(parser, &kernel);
	if (ptx_is_sign(lex, '{')) {
		function->body = true;
		parser->function = function;
		for (int list = 0; list < 2; list++)
			for (struct ptx_symbol *at = list ? function->params
							  : results;
			     at; at = at->next)
				at->function = function;
		if (entry)
			kernel_fill(parser, function, &kernel);
		body_read(parser);
		parser->function = NULL;
	} else {
		ptx_need_sign(lex, ';');
	}
	function->external = linkage.external && !function->body;
	ptx_names_close(&parser->names);
}

void ptx_parse_alias(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_meaning *meanings[2];

	for (int i = 0; i < 2; i++) {
		struct ptx_name *name = ptx_need_name(parser, "a function");

		meanings[i] = name->meaning;
		if (!meanings[i] || meanings[i]->kind != PTX_MEANS_FUNCTION)
			ptx_fail(lex, "'%.60s' is no function", name->text);
		ptx_need_sign(lex, i ? ';' : ',');
	}
	if (meanings[0] != meanings[1])
		meanings[0]->function->alias = meanings[1]->function;
}
