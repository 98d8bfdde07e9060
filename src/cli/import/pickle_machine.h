/* What reads a pickle: a stack, marks in it, and what is to be remembered. */
#ifndef MNM_IMPORT_PICKLE_MACHINE_H
#define MNM_IMPORT_PICKLE_MACHINE_H

#include "pickle.h"

enum {
	PICKLE_VALUES_MOST = 1 << 27,
	/* Values that are there once: none, and the numbers 0 to 255. */
	PICKLE_SHARED = 1 + 256,
};

/* What is said in several places. */
extern const char pickle_no_memory[], pickle_cut_off[];

/* The stack and the memo hold numbers of values, the marks places in the
 * stack. */
struct pickle_stack {
	uint32_t *at;
	size_t count, room;
};

struct pickle_machine {
	struct pickle *pickle;
	const uint8_t *bytes;
	size_t size, next;
	struct pickle_stack stack, marks;
	struct pickle_stack memo; /* value + 1, or 0 */
	uint32_t memoized;
	bool done;
};

/* Makes room for at least so many elements. */
bool pickle_grow(void **array, size_t *room, size_t least, size_t each);

/* Each returns NULL, or what is wrong. */

const char *pickle_push(struct pickle_stack *stack, uint32_t number);

/* Adds a value that is on no stack. */
const char *pickle_add(struct pickle *pickle, struct pickle_value value);

/* Opcodes that push what follows them, or skip it. Lengths are numbers of so
 * many bytes. */
const char *pickle_push_number(struct pickle_machine *machine, int64_t number);
const char *pickle_push_empty(struct pickle_machine *machine,
			      enum pickle_kind kind);
const char *pickle_push_fixed(struct pickle_machine *machine, int bytes,
			      bool sign);
const char *pickle_push_long(struct pickle_machine *machine,
			     int bytes_of_length);
const char *pickle_push_text(struct pickle_machine *machine,
			     int bytes_of_length);
const char *pickle_push_other(struct pickle_machine *machine, size_t size);
const char *pickle_push_line_number(struct pickle_machine *machine);
const char *pickle_push_line_text(struct pickle_machine *machine, bool quoted);
const char *pickle_push_line_other(struct pickle_machine *machine);
const char *pickle_skip(struct pickle_machine *machine, size_t size);
const char *pickle_protocol(struct pickle_machine *machine);

/* Reads a number of so many bytes, or one in a line if that is 0. */
const char *pickle_index(struct pickle_machine *machine, int bytes,
			 uint64_t *index);

#endif
