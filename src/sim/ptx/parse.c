/* Modules: what stands outside of functions. */
#include "parse.h"
#include "reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ptx_name *ptx_need_name(struct ptx_parser *parser, const char *what)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_name *name;

	if (lex->token.kind != PTX_T_WORD)
		ptx_expected(lex, what);
	name = ptx_name_get(&parser->names, lex, lex->token.text,
			    lex->token.length);
	ptx_next(lex);
	return name;
}

const char *ptx_name_own(struct ptx_parser *parser, struct ptx_name *name)
{
	size_t size = strlen(name->text) + 16;
	char *own;

	if (!name->owners++)
		return name->text;
	own = ptx_get(&parser->lex, size);
	snprintf(own, size, "%s#%u", name->text, name->owners);
	return own;
}

void *ptx_grow(struct ptx_parser *parser, void *array, size_t count,
	       size_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return array;
	*room = count ? count * 2 : 4;
	more = ptx_get(&parser->lex, *room * size);
	if (count)
		memcpy(more, array, count * size);
	return more;
}

void ptx_parse_directive(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;

	if (ptx_is_dot(lex, "loc") || ptx_is_dot(lex, "file")) {
		ptx_line_skip(lex);
	} else if (ptx_take_dot(lex, "section")) {
		while (!ptx_is_sign(lex, '{')) {
			if (lex->token.kind == PTX_T_END)
				ptx_expected(lex, "'{'");
			ptx_next(lex);
		}
		ptx_parse_skip(parser, '{', '}');
	} else if (ptx_take_dot(lex, "pragma")) {
		while (!ptx_take_sign(lex, ';')) {
			if (lex->token.kind != PTX_T_STRING &&
			    !ptx_is_sign(lex, ','))
				ptx_expected(lex, "';'");
			ptx_next(lex);
		}
	} else {
		ptx_expected(lex, "a directive");
	}
}

static void version_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_version *version = &parser->module->version;
	char *point;

	version->major = (unsigned int)strtoul(lex->token.text, &point, 10);
	if (lex->token.kind != PTX_T_REAL || *point != '.')
		ptx_expected(lex, "a version like 8.7");
	version->minor = (unsigned int)strtoul(point + 1, NULL, 10);
	ptx_next(lex);
}

/* .target sm_90a, debug, texmode_independent */
static void target_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;

	do {
		if (lex->token.kind == PTX_T_WORD &&
		    !strncmp(lex->token.text, "sm_", 3))
			parser->module->version.target = (unsigned int)strtoul(
				lex->token.text + 3, NULL, 10);
		ptx_need_name(parser, "a target");
	} while (ptx_take_sign(lex, ','));
}

static void address_size_read(struct ptx_lexer *lex)
{
	if (lex->token.value != 64)
		ptx_fail(lex, "addresses are not of 64 bits");
	ptx_next(lex);
}

void ptx_parse_statement_skip(struct ptx_lexer *lex)
{
	while (!ptx_is_sign(lex, ';')) {
		if (lex->token.kind == PTX_T_END)
			ptx_expected(lex, "';'");
		ptx_next(lex);
	}
	ptx_next(lex);
}

static struct ptx_linkage linkage_read(struct ptx_lexer *lex)
{
	struct ptx_linkage linkage = {0};

	for (;;) {
		if (ptx_take_dot(lex, "extern"))
			linkage.external = true;
		else if (ptx_take_dot(lex, "weak"))
			linkage.weak = true;
		else if (ptx_take_dot(lex, "visible") ||
			 ptx_take_dot(lex, "common"))
			linkage.visible = true;
		else
			return linkage;
	}
}

static void item_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_linkage linkage = linkage_read(lex);

	if (ptx_take_dot(lex, "version"))
		version_read(parser);
	else if (ptx_take_dot(lex, "target"))
		target_read(parser);
	else if (ptx_take_dot(lex, "address_size"))
		address_size_read(lex);
	else if (ptx_take_dot(lex, "global"))
		ptx_parse_variables(parser, PTX_IN_GLOBAL, linkage);
	else if (ptx_take_dot(lex, "const"))
		ptx_parse_variables(parser, PTX_IN_CONST, linkage);
	else if (ptx_take_dot(lex, "shared"))
		ptx_parse_variables(parser, PTX_IN_SHARED, linkage);
	else if (ptx_take_dot(lex, "entry"))
		ptx_parse_function(parser, true, linkage);
	else if (ptx_take_dot(lex, "func"))
		ptx_parse_function(parser, false, linkage);
	else if (ptx_take_dot(lex, "alias"))
		ptx_parse_alias(parser);
	else if (ptx_take_dot(lex, "tex")) /* the oldest form of a texture */
		ptx_parse_statement_skip(lex);
	else
		ptx_parse_directive(parser);
}

/* The lists that the module's user goes through. */
static void lists_make(struct ptx_parser *parser)
{
	struct ptx_module *module = parser->module;
	size_t variables = 0, kernels = 0;
	uint64_t address = PTX_FUNCTION_BASE;

	for (struct ptx_symbol *at = module->symbols; at; at = at->next)
		variables += at->variable != NULL;
	for (struct ptx_function *at = module->functions; at; at = at->next) {
		at->address = address += PTX_FUNCTION_STEP;
		at->index = module->function_count++;
		kernels += at->entry && at->body;
	}
	module->variables =
		ptx_get(&parser->lex, variables * sizeof(*module->variables));
	module->kernels =
		ptx_get(&parser->lex, kernels * sizeof(*module->kernels));
	for (struct ptx_symbol *at = module->symbols; at; at = at->next)
		if (at->variable)
			module->variables[module->variable_count++] =
				at->variable;
	for (struct ptx_function *at = module->functions; at; at = at->next)
		if (at->entry && at->body)
			module->kernels[module->kernel_count++] = &at->kernel;
	if (!ptx_kernels_measure(module))
		ptx_fail(&parser->lex, "out of memory");
}

static void module_read(struct ptx_parser *parser)
{
	struct ptx_lexer *lex = &parser->lex;

	ptx_next(lex);
	if (!ptx_is_dot(lex, "version"))
		ptx_expected(lex, "'.version'");
	while (lex->token.kind != PTX_T_END)
		item_read(parser);
	lists_make(parser);
}

/* Where ptx_fail() comes back to. */
static bool module_try(struct ptx_parser *parser)
{
	/* NOLINTNEXTLINE(cert-err52-cpp): this is C */
	if (setjmp(parser->lex.failed))
		return false;
	module_read(parser);
	*parser->lex.error = (struct ptx_error){0};
	return true;
}

struct ptx_module *ptx_parse(const char *text, size_t size,
			     struct ptx_error *error)
{
	struct ptx_module *module = calloc(1, sizeof(*module));
	struct ptx_parser *parser = calloc(1, sizeof(*parser));
	char *copy = strndup(text, size);
	struct ptx_error unused;
	bool ok = false;

	error = error ? error : &unused;
	*error = (struct ptx_error){0, "out of memory"};
	if (module && parser && copy) {
		module->symbols_end = &module->symbols;
		module->functions_end = &module->functions;
		parser->module = module;
		parser->lex = (struct ptx_lexer){.at = copy,
						 .line = 1,
						 .arena = &module->arena,
						 .error = error};
		ok = module_try(parser);
		ptx_names_free(&parser->names);
	}
	free(copy);
	free(parser);
	if (ok)
		return module;
	ptx_module_free(module);
	return NULL;
}
