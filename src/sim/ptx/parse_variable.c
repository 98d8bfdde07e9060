/* Variables, parameters, and initial values. */
#include <string.h>

#include "parse.h"

/* Far more than a device has. */
#define SIZE_MOST ((size_t)1 << 40)
#define DATA_MOST ((size_t)64 << 20)

void ptx_parse_skip(struct ptx_parser *parser, char open, char close)
{
	struct ptx_lexer *lex = &parser->lex;
	size_t depth = 0;

	do {
		depth += ptx_is_sign(lex, open);
		depth -= ptx_is_sign(lex, close);
		if (lex->token.kind == PTX_T_END)
			ptx_expected(lex, "a closing bracket");
		ptx_next(lex);
	} while (depth);
}

/* .attribute(.managed) and others */
static void attribute_read(struct ptx_parser *parser, struct ptx_symbol *made)
{
	struct ptx_lexer *lex = &parser->lex;
	size_t depth = 0;

	if (!ptx_is_sign(lex, '('))
		ptx_expected(lex, "'('");
	do {
		depth += ptx_is_sign(lex, '(');
		depth -= ptx_is_sign(lex, ')');
		made->managed |= ptx_is_dot(lex, "managed");
		if (lex->token.kind == PTX_T_END)
			ptx_expected(lex, "')'");
		ptx_next(lex);
	} while (depth);
}

static size_t align_read(struct ptx_lexer *lex)
{
	uint64_t align = ptx_need_integer(lex);

	if (!align || align & (align - 1) || align > 1 << 20)
		ptx_fail(lex, "an alignment of %llu",
			 (unsigned long long)align);
	return (size_t)align;
}

/* .align 8 .v4 .f32, in any order, up to the name. */
static struct ptx_symbol head_read(struct ptx_parser *parser,
				   enum ptx_space space)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_symbol made = {.space = space, .elements = 1};
	bool pointer = false;

	while (lex->token.kind == PTX_T_DOT) {
		enum ptx_type type =
			ptx_type_find(lex->token.text, lex->token.length);

		if (ptx_take_dot(lex, "align")) {
			size_t align = align_read(lex);

			made.align = pointer ? made.align : align;
		} else if (ptx_take_dot(lex, "attribute")) {
			attribute_read(parser, &made);
		} else if (ptx_take_dot(lex, "ptr")) {
			pointer = true;
		} else if (type) {
			made.type = type;
			ptx_next(lex);
		} else if (lex->token.length == 2 &&
			   lex->token.text[0] == 'v' &&
			   strchr("248", lex->token.text[1])) {
			made.elements = (size_t)(lex->token.text[1] - '0');
			ptx_next(lex);
		} else if (pointer) {
			ptx_next(lex); /* the space it points into */
		} else {
			ptx_expected(lex, "a type");
		}
	}
	if (!made.type)
		ptx_expected(lex, "a type");
	return made;
}

/* [4][], and what the variable takes then. */
static void shape_read(struct ptx_parser *parser, struct ptx_symbol *made)
{
	struct ptx_lexer *lex = &parser->lex;
	size_t natural = ptx_type_bytes(made->type) * made->elements;

	while (ptx_take_sign(lex, '[')) {
		made->array = true;
		if (ptx_take_sign(lex, ']')) {
			made->unsized = true;
			continue;
		}
		if (__builtin_mul_overflow(made->elements,
					   ptx_need_integer(lex),
					   &made->elements) ||
		    made->elements > SIZE_MOST)
			ptx_fail(lex, "an array larger than any device");
		ptx_need_sign(lex, ']');
	}
	made->size =
		made->unsized ? 0 : made->elements * ptx_type_bytes(made->type);
	if (made->size > SIZE_MOST)
		ptx_fail(lex, "an array larger than any device");
	if (!made->align)
		made->align = natural < 128 ? natural : 128;
}

/* One name with its shape, declared. */
static struct ptx_symbol *symbol_read(struct ptx_parser *parser,
				      const struct ptx_symbol *head)
{
	struct ptx_symbol *made = ptx_get(&parser->lex, sizeof(*made));
	unsigned int line = parser->lex.token.line;
	struct ptx_name *name = ptx_need_name(parser, "a name");

	*made = *head;
	made->name = name->text;
	made->line = line;
	made->function = parser->function;
	made->index = parser->module->symbol_count++;
	if (made->space != PTX_IN_REGISTER)
		shape_read(parser, made);
	else
		made->size = ptx_type_bytes(made->type);
	ptx_name_declare(&parser->names, &parser->lex, name, PTX_MEANS_SYMBOL)
		->symbol = made;
	return made;
}

void ptx_parse_param(struct ptx_parser *parser, enum ptx_space space,
		     struct ptx_symbol ***end)
{
	struct ptx_symbol head = head_read(parser, space);
	struct ptx_symbol *made = symbol_read(parser, &head);

	**end = made;
	*end = &made->next;
}

/* Values of an initial value. */
struct filling {
	struct ptx_symbol *symbol;
	size_t element;
	unsigned char *data;
	size_t at, room;
	struct ptx_address *addresses;
	size_t address_count, address_room;
};

static void room_make(struct ptx_parser *parser, struct filling *filling)
{
	struct ptx_symbol *symbol = filling->symbol;
	unsigned char *more;

	if (filling->data && filling->at + filling->element <= filling->room)
		return;
	if (!symbol->unsized || filling->room >= DATA_MOST)
		ptx_fail(&parser->lex, "too many initial values for '%s'",
			 symbol->name);
	filling->room = filling->room ? filling->room * 2 : 256;
	more = ptx_get(&parser->lex, filling->room);
	if (filling->data)
		memcpy(more, filling->data, filling->at);
	filling->data = more;
}

/* The variable or function of this name, "+ 4" behind it. */
static struct ptx_address target_read(struct ptx_parser *parser,
				      struct ptx_name *name)
{
	const struct ptx_meaning *meaning = name->meaning;
	struct ptx_address made = {.bytes = 8};

	if (meaning && meaning->kind == PTX_MEANS_SYMBOL &&
	    meaning->symbol->variable)
		made.variable = meaning->symbol->variable;
	else if (meaning && meaning->kind == PTX_MEANS_FUNCTION)
		made.function = ptx_function_point(meaning->function)->name;
	else
		ptx_fail(&parser->lex, "'%.60s' has no address", name->text);
	return made;
}

static uint64_t addend_read(struct ptx_lexer *lex)
{
	bool minus = ptx_is_sign(lex, '-');

	if (!ptx_take_sign(lex, '+') && !ptx_take_sign(lex, '-'))
		return 0;
	minus ^= ptx_take_sign(lex, '-');
	return minus ? -ptx_need_integer(lex) : ptx_need_integer(lex);
}

/* name, generic(name), or after a number mask(name). */
static void address_read(struct ptx_parser *parser, struct filling *filling,
			 uint64_t mask)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_name *name = mask ? NULL : ptx_need_name(parser, "a name");
	bool generic =
		name && !strcmp(name->text, "generic") && ptx_is_sign(lex, '(');
	struct ptx_address made;
	uint64_t addend;

	if (mask || generic) {
		ptx_need_sign(lex, '(');
		name = ptx_need_name(parser, "a name");
		/* 0xFF(generic(name)) */
		if (!strcmp(name->text, "generic") && ptx_take_sign(lex, '(')) {
			name = ptx_need_name(parser, "a name");
			ptx_need_sign(lex, ')');
		}
	}
	made = target_read(parser, name);
	addend = addend_read(lex);
	if (mask || generic)
		ptx_need_sign(lex, ')');
	made.addend = (int64_t)(addend + addend_read(lex));
	if (mask)
		made.shift = (unsigned int)__builtin_ctzll(mask);
	made.place = filling->at;
	made.bytes = filling->element < 8 ? filling->element : 8;
	filling->addresses =
		ptx_grow(parser, filling->addresses, filling->address_count,
			 &filling->address_room, sizeof(made));
	filling->addresses[filling->address_count++] = made;
	filling->at += filling->element;
}

static void number_store(struct filling *filling, const struct ptx_token *token,
			 bool minus)
{
	unsigned char *to = filling->data + filling->at;
	enum ptx_type type = filling->symbol->type;
	bool real = token->kind == PTX_T_REAL;
	double number = real ? token->real : (double)token->value;
	float single = (float)(minus ? -number : number);
	uint64_t bits = minus ? -token->value : token->value;

	number = minus ? -number : number;
	if (type == PTX_F32 && (!real || !token->single || minus))
		memcpy(to, &single, sizeof(single));
	else if (type == PTX_F64)
		memcpy(to, &number, sizeof(number));
	else
		memcpy(to, &bits, filling->element < 8 ? filling->element : 8);
	filling->at += filling->element;
}

static void value_read(struct ptx_parser *parser, struct filling *filling)
{
	struct ptx_lexer *lex = &parser->lex;
	bool minus = ptx_take_sign(lex, '-');
	struct ptx_token token = lex->token;

	room_make(parser, filling);
	if (token.kind == PTX_T_INTEGER || token.kind == PTX_T_REAL) {
		ptx_next(lex);
		if (ptx_is_sign(lex, '(') && token.value && !minus)
			address_read(parser, filling, token.value);
		else
			number_store(filling, &token, minus);
	} else {
		address_read(parser, filling, 0);
	}
}

/* Braces inside braces are those of arrays of arrays, which are full. */
static void values_read(struct ptx_parser *parser, struct ptx_symbol *symbol,
			struct filling *filling)
{
	struct ptx_lexer *lex = &parser->lex;
	size_t depth = 0;

	*filling = (struct filling){.symbol = symbol,
				    .element = ptx_type_bytes(symbol->type)};
	if (!symbol->unsized) {
		if (symbol->size > DATA_MOST)
			ptx_fail(lex, "'%s' is too large for initial values",
				 symbol->name);
		filling->data = ptx_get(lex, symbol->size + 1);
		filling->room = symbol->size;
	}
	do {
		if (ptx_take_sign(lex, '{'))
			depth++;
		else if (depth && ptx_take_sign(lex, '}'))
			depth--;
		else if (!depth || !ptx_take_sign(lex, ','))
			value_read(parser, filling);
	} while (depth);
	if (symbol->unsized) {
		symbol->unsized = false;
		symbol->size = filling->at;
	}
}

/* What the module's user sees. */
static void variable_make(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
	struct ptx_variable *made = ptx_get(&parser->lex, sizeof(*made));
	struct filling filling = {0};

	symbol->variable = made;
	if (ptx_take_sign(&parser->lex, '=')) {
		if (ptx_type_class(symbol->type) == PTX_CLASS_HANDLE)
			ptx_parse_skip(parser, '{', '}');
		else
			values_read(parser, symbol, &filling);
	}
	*made = (struct ptx_variable){
		.name = symbol->name,
		.size = symbol->size,
		.align = symbol->align,
		.constant = symbol->space == PTX_IN_CONST,
		.managed = symbol->managed,
		.external = symbol->external,
		.data = filling.data,
		.addresses = filling.addresses,
		.address_count = filling.address_count,
	};
}

static void name_tell_apart(struct ptx_parser *parser,
			    struct ptx_symbol *symbol,
			    struct ptx_linkage linkage)
{
	struct ptx_name *name =
		ptx_name_get(&parser->names, &parser->lex, symbol->name,
			     strlen(symbol->name));

	if (linkage.external || linkage.weak || linkage.visible)
		name->owners++;
	else
		symbol->name = ptx_name_own(parser, name);
}

void ptx_parse_variables(struct ptx_parser *parser, enum ptx_space space,
			 struct ptx_linkage linkage)
{
	struct ptx_lexer *lex = &parser->lex;
	struct ptx_symbol head = head_read(parser, space);

	head.external = linkage.external;
	do {
		struct ptx_symbol *symbol = symbol_read(parser, &head);

		if (space == PTX_IN_GLOBAL || space == PTX_IN_CONST) {
			name_tell_apart(parser, symbol, linkage);
			variable_make(parser, symbol);
			symbol->function = NULL;
		}
		if (symbol->function) {
			symbol->next = parser->function->locals;
			parser->function->locals = symbol;
		} else {
			*parser->module->symbols_end = symbol;
			parser->module->symbols_end = &symbol->next;
		}
	} while (ptx_take_sign(lex, ','));
	ptx_need_sign(lex, ';');
}
