/* Stacks of those who ask for memory: of some requests, by their bytes. Each
 * stack is kept once and has a number, from 1. */
#ifndef MNM_RECORD_STACKS_H
#define MNM_RECORD_STACKS_H

#include <stddef.h>
#include <stdint.h>

enum {
	STACK_DEPTH = 32, /* return addresses of one, the innermost ones */
	/* There are so many stacks, of so many addresses together. What comes
	 * later has none. */
	STACKS_MOST = 1 << 15,
	STACKS_WORDS = 1 << 19,
};

/* A thread's first request has its stack, and then each that reaches or passes
 * so many bytes since the last one that had. 0: none has. */
void record_stacks_set(uint64_t bytes);

/* What is noted of a request by the code at site: that, or a stack. */
uint64_t record_site_of(uint64_t site, uint64_t size);

/* The number of a stack that is kept, or 0. */
uint32_t record_stack_keep(const uint64_t *frames, size_t count);

/* The addresses of the stack of that number; returns how many. */
size_t record_stack_at(uint32_t number, const uint64_t **frames);

/* The same as a text, as a recording has it: in hexadecimal, with spaces. */
enum { STACK_TEXT_SIZE = 17 * STACK_DEPTH + 1 };
void record_stack_write(uint32_t number, char text[STACK_TEXT_SIZE]);

#endif
