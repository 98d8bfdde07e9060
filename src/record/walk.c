#include "walk.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	PAGE = 4096,          /* or a part of one */
	FRAME_MOST = 1 << 24, /* bytes of a frame that is believed */
};

/* Whether the word can be read: the kernel reads it before it sees that it is
 * asked for nothing. */
static bool is_readable(uint64_t address)
{
	return syscall(SYS_rt_sigprocmask, ~0L, address, NULL, 8L) &&
	       errno != EFAULT;
}

/* Copies the part of memory that has the address, unless it is there already.
 * The kernel reads it, which costs more than a look and a read here, but
 * another thread can't unmap it in between. */
static const uint8_t *copied(struct walk *walk, uint64_t address)
{
	uint64_t base = address - address % WALK_COPY_SIZE;
	struct iovec to = {walk->copy, WALK_COPY_SIZE};
	struct iovec from = {.iov_len = WALK_COPY_SIZE};

	if (!walk->copy)
		return NULL;
	memcpy(&from.iov_base, &base, sizeof(base));
	if (walk->copied != base) {
		walk->copied = 0;
		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) !=
		    WALK_COPY_SIZE)
			return NULL;
		walk->copied = base;
	}
	return walk->copy + (address - base);
}

/* A wrong step may lead anywhere. What is read is others' memory on the stack.
 */
__attribute__((no_sanitize("address", "thread"))) static bool word_read(
	struct walk *walk, uint64_t address, uint64_t *word)
{
	const uint8_t *copy;

	if (address % sizeof(*word) || address < PAGE)
		return false;
	if (walk->by_guess) {
		copy = copied(walk, address);
		if (copy)
			memcpy(word, copy, sizeof(*word));
		return copy;
	}
	if (walk->page != address / PAGE && !is_readable(address))
		return false;
	walk->page = address / PAGE;
	*word = *(const uint64_t *)address;
	return true;
}

static bool step_by_rule(struct walk *walk, const struct eh_rule *rule)
{
	uint64_t stack =
		(rule->base == REGISTER_FRAME ? walk->frame : walk->stack) +
		(uint64_t)rule->offset;
	uint64_t frame = walk->frame, pc;

	if (rule->is_last || !rule->return_is_saved ||
	    (rule->indirect && !word_read(walk, stack, &stack)) ||
	    stack <= walk->stack || stack - walk->stack > FRAME_MOST)
		return false;
	if ((rule->frame_is_saved &&
	     !word_read(walk,
			(rule->by_itself ? walk->frame : stack) +
				(uint64_t)rule->frame_at,
			&frame)) ||
	    !word_read(walk, stack + (uint64_t)rule->return_at, &pc))
		return false;
	walk->pc = walk_code_address(pc);
	walk->stack = stack;
	walk->frame = frame;
	return true;
}

#ifdef __x86_64__
/* A byte of code, to which a wrong step may lead as well. */
__attribute__((no_sanitize("address", "thread"))) static int code_read(
	struct walk *walk, uint64_t address)
{
	const uint8_t *copy;

	if (address < PAGE)
		return -1;
	if (walk->by_guess) {
		copy = copied(walk, address);
		return copy ? *copy : -1;
	}
	if (walk->code_page != address / PAGE &&
	    !is_readable(address - address % sizeof(address)))
		return -1;
	walk->code_page = address / PAGE;
	return *(const uint8_t *)address;
}

static bool code_is(struct walk *walk, uint64_t at, const char *bytes)
{
	while (*bytes && code_read(walk, at) == (uint8_t)*bytes)
		at++, bytes++;
	return !*bytes;
}

/* Where code has nothing left to do but to return, as a trampoline of CPython's
 * behind its call: does what it will do. */
static bool step_by_code(struct walk *walk)
{
	uint64_t at = walk->pc, stack = walk->stack, frame = walk->frame, pc;
	int size;

	if (code_is(walk, at, "\x48\x83\xc4")) { /* add $size, %rsp */
		size = code_read(walk, at + 3);
		if (size < 0 || size > INT8_MAX)
			return false;
		stack += (uint64_t)size;
		at += 4;
	}
	if (code_is(walk, at, "\x5d")) { /* pop %rbp */
		if (!word_read(walk, stack, &frame))
			return false;
		stack += sizeof(frame);
		at++;
	}
	if (!code_is(walk, at, "\xc3") || /* ret */
	    !word_read(walk, stack, &pc))
		return false;
	walk->pc = pc;
	walk->stack = stack + sizeof(pc);
	walk->frame = frame;
	return true;
}
#else
/* Code for other processors has frames. */
static bool step_by_code(struct walk *walk)
{
	(void)walk;
	return false;
}
#endif

/* Other code that was made as the program runs is taken to have a frame. If it
 * has none, its register may hold the address of anything. */
static bool step_by_frame(struct walk *walk)
{
	uint64_t at = walk->frame, frame, pc;

	walk->by_guess = true;
	if (at < walk->stack || at - walk->stack > FRAME_MOST ||
	    !word_read(walk, at, &frame) ||
	    !word_read(walk, at + sizeof(at), &pc))
		return false;
	walk->pc = walk_code_address(pc);
	walk->stack = at + 2 * sizeof(at);
	walk->frame = frame;
	return true;
}

bool walk_step(struct walk *walk)
{
	/* A call may be the last of its function, so pc is behind that. */
	const struct eh_module *module;
	const struct eh_rule *rule = walk->rule_find(walk->pc - 1, &module);

	walk->by_trampoline = false;
	if (rule) {
		walk->module = module;
		return step_by_rule(walk, rule);
	}
	walk->by_trampoline = step_by_code(walk);
	return walk->by_trampoline || step_by_frame(walk);
}
