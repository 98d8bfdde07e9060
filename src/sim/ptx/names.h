/* What names mean while a module is read. Each text exists once. */
#ifndef SIM_PTX_NAMES_H
#define SIM_PTX_NAMES_H

#include "lex.h"

enum ptx_meaning_kind {
	PTX_MEANS_SYMBOL,
	PTX_MEANS_FUNCTION,
	PTX_MEANS_REGISTERS, /* of this name, or of NAME0 to NAME<count-1> */
	PTX_MEANS_LABEL,
};

struct ptx_meaning {
	enum ptx_meaning_kind kind;
	unsigned int depth; /* of braces */
	struct ptx_symbol *symbol;
	struct ptx_function *function;
	struct ptx_label *label;
	enum ptx_type type;
	unsigned int first, count; /* registers; count 0: one, by its name */
	/* The meaning that this one hides, and the one declared before it. */
	struct ptx_meaning *hidden, *before;
	struct ptx_name *name;
};

struct ptx_name {
	const char *text;
	struct ptx_meaning *meaning; /* the innermost; or NULL */
	unsigned int owners;         /* variables, and functions with code */
	struct ptx_name *next;
};

struct ptx_names {
	struct ptx_name **buckets;
	size_t bucket_count, count;
	struct ptx_meaning *last; /* declared in the open braces */
	unsigned int depth;
};

/* The name of this text, which is new if it was not known. */
struct ptx_name *ptx_name_get(struct ptx_names *names, struct ptx_lexer *lex,
			      const char *text, size_t length);
/* Gives a name one more meaning, until the braces are closed. */
struct ptx_meaning *ptx_name_declare(struct ptx_names *names,
				     struct ptx_lexer *lex,
				     struct ptx_name *name,
				     enum ptx_meaning_kind kind);
void ptx_names_open(struct ptx_names *names);
void ptx_names_close(struct ptx_names *names);
void ptx_names_free(struct ptx_names *names);

#endif
