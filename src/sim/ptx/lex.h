/* Words and signs of PTX, and the parser's state around them. */
#ifndef SIM_PTX_LEX_H
#define SIM_PTX_LEX_H

#include <setjmp.h>

#include "tree.h"

enum ptx_token_kind {
	PTX_T_END,
	PTX_T_WORD,    /* a name, also one with % or $ */
	PTX_T_DOT,     /* ".global": the text is behind the dot */
	PTX_T_INTEGER, /* value */
	PTX_T_REAL,    /* real */
	PTX_T_STRING,
	PTX_T_SIGN, /* one character, in sign */
};

struct ptx_token {
	enum ptx_token_kind kind;
	char sign;
	bool single; /* the number is 0f... */
	unsigned int line;
	const char *text;
	size_t length;
	uint64_t value;
	double real;
};

struct ptx_lexer {
	const char *at;
	unsigned int line;
	struct ptx_token token; /* the one that is looked at */
	struct ptx_arena *arena;
	struct ptx_error *error;
	jmp_buf failed; /* where ptx_fail() goes */
};

/* Ends the reading with an error about the current token's line. */
_Noreturn void ptx_fail(struct ptx_lexer *lex, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same: "X expected, and not Y". */
_Noreturn void ptx_expected(struct ptx_lexer *lex, const char *what);
/* Memory of the module; fails if there is none. */
void *ptx_get(struct ptx_lexer *lex, size_t size);

/* Goes to the next token. */
void ptx_next(struct ptx_lexer *lex);
/* Goes to the first token behind this line. */
void ptx_line_skip(struct ptx_lexer *lex);

bool ptx_is_sign(const struct ptx_lexer *lex, char sign);
bool ptx_is_dot(const struct ptx_lexer *lex, const char *text);
/* If the current token is this one, goes past it and returns true. */
bool ptx_take_sign(struct ptx_lexer *lex, char sign);
bool ptx_take_dot(struct ptx_lexer *lex, const char *text);
/* Goes past it, and fails if there is something else. */
void ptx_need_sign(struct ptx_lexer *lex, char sign);
uint64_t ptx_need_integer(struct ptx_lexer *lex);

#endif
