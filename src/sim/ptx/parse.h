/* The parts of the parser. */
#ifndef SIM_PTX_PARSE_H
#define SIM_PTX_PARSE_H

#include "names.h"

/* A use of a label, which may stand further down. */
struct ptx_pending {
	struct ptx_operand *operand;
	struct ptx_name *name;
	unsigned int depth, line;
};

struct ptx_parser {
	struct ptx_lexer lex;
	struct ptx_names names;
	struct ptx_module *module;
	struct ptx_function *function; /* whose body is read; or NULL */
	struct ptx_pending *pending;   /* by depth, the deepest last */
	size_t pending_count, pending_room;
};

/* Returns the name that is the current token, and goes past it. */
struct ptx_name *ptx_need_name(struct ptx_parser *parser, const char *what);
/* Makes room for one more in an array of the module's memory. */
void *ptx_grow(struct ptx_parser *parser, void *array, size_t count,
	       size_t *room, size_t size);

/* A name for what is not linked: its own, or another one if there is something
 * of this name already, in a function or a text that was linked, since the
 * module's user finds things by their names. */
const char *ptx_name_own(struct ptx_parser *parser, struct ptx_name *name);

/* How something is linked: .extern, .weak, or .visible and .common. What is not
 * linked has its name in its own text only. */
struct ptx_linkage {
	bool external, weak, visible;
};

/* Variables of a space, from behind its name to the semicolon. */
void ptx_parse_variables(struct ptx_parser *parser, enum ptx_space space,
			 struct ptx_linkage linkage);
/* One parameter, from behind ".param" or ".reg"; added to the list. */
void ptx_parse_param(struct ptx_parser *parser, enum ptx_space space,
		     struct ptx_symbol ***end);
/* Past "(...)" or "{...}" that is open at the current token. */
void ptx_parse_skip(struct ptx_parser *parser, char open, char close);
/* Past the next semicolon. */
void ptx_parse_statement_skip(struct ptx_lexer *lex);

/* A function, from behind ".entry" or ".func". */
void ptx_parse_function(struct ptx_parser *parser, bool entry,
			struct ptx_linkage linkage);
/* From the opening brace of a function to behind the closing one. */
void ptx_parse_body(struct ptx_parser *parser);
/* From behind ".alias". */
void ptx_parse_alias(struct ptx_parser *parser);
/* Past a directive that changes nothing here; the current token is its name. */
void ptx_parse_directive(struct ptx_parser *parser);

/* An instruction from its guard or name to the semicolon. */
void ptx_parse_instruction(struct ptx_parser *parser, struct ptx_name *name,
			   unsigned int line);
void ptx_parse_guard(struct ptx_parser *parser,
		     struct ptx_instruction *instruction);
/* Notes a use of a label. */
void ptx_parse_pending(struct ptx_parser *parser, struct ptx_operand *operand,
		       struct ptx_name *name);

#endif
