/* Functions: their heads. */
#include <string.h>

#include "parse.h"

enum { PARAMS_MOST = 1 << 16 };

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

static struct ptx_function *function_make(struct ptx_parser *parser,
					  const char *name)
{
	struct ptx_function *made = ptx_get(&parser->lex, sizeof(*made));

	made->name = name;
	*parser->module->functions_end = made;
	parser->module->functions_end = &made->next;
	return made;
}

/* What a name means: a function that was declared before, or a new one. */
static struct ptx_meaning *function_get(struct ptx_parser *parser,
					struct ptx_name *name)
{
	struct ptx_meaning *meaning = name->meaning;

	if (meaning && meaning->kind == PTX_MEANS_FUNCTION)
		return meaning;
	meaning = ptx_name_declare(&parser->names, &parser->lex, name,
				   PTX_MEANS_FUNCTION);
	meaning->function = function_make(parser, name->text);
	return meaning;
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
		} else if (ptx_take_dot(lex, "maxnreg")) {
			kernel->max_registers =
				(unsigned int)ptx_need_integer(lex);
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

/* The code of a function, whose parameters are declared. */
static void function_define(struct ptx_parser *parser,
			    struct ptx_function *function,
			    struct ptx_kernel *limits)
{
	function->body = true;
	parser->function = function;
	for (struct ptx_symbol *at = function->params; at; at = at->next)
		at->function = function;
	for (struct ptx_symbol *at = function->results; at; at = at->next)
		at->function = function;
	if (function->entry)
		kernel_fill(parser, function, limits);
	ptx_parse_body(parser);
	parser->function = NULL;
}

/* The function that the code which follows is for. Texts that were linked may
 * each have a function of this name: a weak one is the same in all of them, and
 * one that is not linked is another one in each. NULL if it has its code. */
static struct ptx_function *function_begin(struct ptx_parser *parser,
					   struct ptx_meaning *meaning,
					   bool entry,
					   struct ptx_linkage linkage)
{
	struct ptx_function *function = meaning->function;

	if (!function->body) {
		meaning->name->owners++;
		return function;
	}
	if (linkage.weak || function->weak)
		return NULL;
	if (linkage.visible || linkage.external || entry)
		ptx_fail(&parser->lex, "the function '%.60s' is there twice",
			 function->name);
	meaning->function =
		function_make(parser, ptx_name_own(parser, meaning->name));
	return meaning->function;
}

void ptx_parse_function(struct ptx_parser *parser, bool entry,
			struct ptx_linkage linkage)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_symbol *results = NULL, *params = NULL;
	struct ptx_function *function;
	struct ptx_meaning *meaning;
	struct ptx_kernel limits = {0};
	unsigned int line = lex->token.line;

	if (ptx_take_dot(lex, "attribute"))
		ptx_parse_skip(parser, '(', ')');
	if (!entry && ptx_is_sign(lex, '('))
		results = results_read(parser);
	meaning = function_get(parser, ptx_need_name(parser, "a function"));
	ptx_names_open(&parser->names);
	results_declare(parser, results);
	if (ptx_is_sign(lex, '('))
		params = params_read(parser);
	limits_read(parser, &limits);
	function = meaning->function;
	if (ptx_is_sign(lex, '{'))
		function = function_begin(parser, meaning, entry, linkage);
	if (function && !function->body) {
		function->results = results;
		function->params = params;
		function->line = line;
		function->entry = entry;
		function->weak = linkage.weak;
	}
	if (!ptx_is_sign(lex, '{'))
		ptx_need_sign(lex, ';');
	else if (function)
		function_define(parser, function, &limits);
	else
		ptx_parse_skip(parser, '{', '}');
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
