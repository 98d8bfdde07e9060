/* How a function's caller is found from a place in its code, by what compilers
 * write about that into .eh_frame. Bytes that are wrong, or that say what
 * nothing here follows, lead to no answer. */
#ifndef MNM_RECORD_EH_FRAME_H
#define MNM_RECORD_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers that are followed, as DWARF numbers them. */
#ifdef __x86_64__
enum { REGISTER_FRAME = 6, REGISTER_STACK = 7, REGISTER_RETURN = 16 };
#elif defined(__aarch64__)
enum { REGISTER_FRAME = 29, REGISTER_STACK = 31, REGISTER_RETURN = 30 };
#else
#error "how a stack is walked is written for x86-64 and aarch64 only"
#endif

/* A loaded file: its code, the table of its functions (PT_GNU_EH_FRAME), and
 * the bytes around this that may be read. */
struct eh_module {
	uint64_t start, end;
	const uint8_t *table, *first, *last;
	bool is_runtime; /* a shared one of CUDA's */
};

/* Where the caller's registers are. */
struct eh_rule {
	bool is_last;        /* nobody has called */
	bool is_unknown;     /* it is somewhere else than can be said here */
	unsigned int base;   /* REGISTER_FRAME or REGISTER_STACK */
	int64_t offset;      /* to it, which makes the caller's stack pointer */
	bool indirect;       /* that is there, and not this sum itself */
	bool frame_is_saved; /* REGISTER_FRAME, at: */
	int64_t frame_at;    /* from the caller's stack pointer */
	bool by_itself;      /* no, from the register's present value */
	bool return_is_saved; /* else it is in the register */
	int64_t return_at;
};

/* Returns false if nothing is known about the code at pc, which lies in the
 * module. */
bool eh_frame_find(const struct eh_module *module, uint64_t pc,
		   struct eh_rule *rule);

#endif
