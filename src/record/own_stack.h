/* The calling thread's stack, and the files of its code, where nothing may be
 * relied on: no memory is asked for, and no lock is taken, not even the
 * loader's. So it is slow, by /proc/self/maps; without that there is none. */
#ifndef MNM_RECORD_OWN_STACK_H
#define MNM_RECORD_OWN_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "build_id.h"
#include "eh_frame.h"

enum {
	OWN_STACK_DEPTH = 32, /* calls, the innermost ones */
	OWN_STACK_FILES = 32, /* code of more is of no file */
	OWN_STACK_PATH = 1024,
};

/* A file of code, as it is mapped. */
struct own_file {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* in the file, of the start */
	uint64_t first;      /* where its first byte is; 0: unknown */
	struct eh_module code;
	char path[OWN_STACK_PATH];
	char build[BUILD_ID_SIZE]; /* or "" */
};

struct own_frame {
	uint64_t address; /* to which the call returns */
	int file;         /* its number; -1: none is known */
};

struct own_stack {
	struct own_frame frames[OWN_STACK_DEPTH]; /* the innermost first */
	size_t count;
	struct own_file files[OWN_STACK_FILES];
	size_t file_count;
	uint64_t other_start, other_end; /* code of no file, met last */
};

/* Reads it from the first function on whose code is neither in the file that
 * has `within`, nor in a shared runtime of CUDA's. NULL: from the caller on.
 * For one thread at a time. */
void own_stack_read(struct own_stack *stack, const void *within);

#endif
