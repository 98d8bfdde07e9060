/* A module as its text says: what ptx_parse() makes, and what is prepared for
 * running. All of it lies in the module's arena. */
#ifndef SIM_PTX_TREE_H
#define SIM_PTX_TREE_H

#include "arena.h"
#include "ptx.h"
#include "type.h"

enum ptx_space {
	PTX_IN_GLOBAL,
	PTX_IN_CONST,
	PTX_IN_SHARED,
	PTX_IN_LOCAL,
	PTX_IN_PARAM,
	PTX_IN_REGISTER, /* parameters of the oldest form */
};

/* Everything that has a place in a space. */
struct ptx_symbol {
	const char *name;
	unsigned int line;
	enum ptx_space space;
	enum ptx_type type;
	size_t elements; /* of an array, and vectors count; 1 if it is none */
	size_t size, align;
	bool array;    /* written with brackets */
	bool unsized;  /* extern .shared: as large as the launch says */
	bool external; /* .extern */
	bool managed;
	/* In global or constant memory: what the module's user sees. */
	struct ptx_variable *variable;
	size_t offset; /* of a kernel's parameter, in the buffer of them */
	struct ptx_function *function; /* where it is declared, or NULL */
	const char *first;             /* of the initial value; or NULL */
	bool of_kernel;                /* a parameter of an entry */
	size_t index;                  /* in the module */
	struct ptx_symbol *next;       /* in its function, or in the module */
};

struct ptx_label {
	const char *name;
	size_t at; /* index of the instruction behind it */
	/* A table of labels for brx.idx; or NULL */
	struct ptx_operand *targets;
	size_t target_count;
	bool prototype; /* .callprototype or .calltargets */
};

enum ptx_operand_kind {
	PTX_NOTHING,  /* "_" */
	PTX_REGISTER, /* reg */
	PTX_INTEGER,  /* value */
	PTX_REAL,     /* real; type is F32 for 0f..., else F64 */
	PTX_SPECIAL,  /* name and, of x, y, z, w, the part: "%tid", 'x' */
	PTX_SYMBOL,   /* symbol, plus value */
	PTX_FUNCTION, /* function */
	PTX_LABEL,    /* label, by its name until the braces are closed */
	PTX_MEMORY,   /* [items[0] + value], and more coordinates in items */
	PTX_VECTOR,   /* {items} */
	PTX_PAIR,     /* items[0]|items[1] */
	PTX_LIST,     /* (items) */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	enum ptx_type type; /* of a register */
	bool negated;       /* !p */
	char part;          /* of a special register */
	unsigned int reg;   /* index in the function */
	unsigned int count; /* of items */
	int64_t value;
	double real;
	const char *name;
	const char *selected; /* a part of a register: "b0"; or NULL */
	struct ptx_symbol *symbol;
	struct ptx_function *function;
	struct ptx_label *label;
	struct ptx_operand *items;
};

enum { PTX_MODS_MOST = 16, PTX_OPERANDS_MOST = 12, PTX_TYPES_MOST = 4 };

struct ptx_instruction {
	unsigned int line;
	const char *name;  /* "ld" */
	const char **mods; /* "global", "v4", "f32": all of them, in order */
	unsigned int mod_count;
	unsigned int type_count;
	enum ptx_type types[PTX_TYPES_MOST]; /* those of mods that are types */
	bool guarded, guard_negated;
	unsigned int guard; /* a register */
	unsigned int operand_count;
	struct ptx_operand *operands;
};

struct ptx_function {
	const char *name;
	unsigned int line;
	bool entry;
	bool body, weak;            /* it has code here */
	struct ptx_function *alias; /* .alias: it is another one */
	struct ptx_symbol *results, *params;
	struct ptx_symbol *locals; /* .local, .shared, .param in the body */
	enum ptx_type *registers;
	size_t register_count, register_room;
	struct ptx_instruction *code;
	size_t code_count, code_room;
	struct ptx_kernel kernel; /* of an entry */
	uint64_t address;         /* see ptx_function_address() */
	bool pointed;             /* its address is taken */
	size_t index;             /* in the module */
	struct ptx_function *next;
};

struct ptx_module {
	struct ptx_arena arena;
	struct ptx_version version;
	struct ptx_symbol *symbols, **symbols_end;
	struct ptx_function *functions, **functions_end;
	size_t symbol_count, function_count;
	const struct ptx_variable **variables;
	size_t variable_count;
	const struct ptx_kernel **kernels;
	size_t kernel_count;
};

/* Notes that a function's address is taken, and returns it. */
struct ptx_function *ptx_function_point(struct ptx_function *function);
/* The function itself, and not an alias of it. */
const struct ptx_function *ptx_function_real(
	const struct ptx_function *function);
/* Whether an instruction has a modifier. */
bool ptx_has(const struct ptx_instruction *ins, const char *mod);

/* Where a function of kernels begins in the numbers of addresses. */
#define PTX_FUNCTION_BASE (UINT64_C(4) << 48)
enum { PTX_FUNCTION_STEP = 16 };

#endif
