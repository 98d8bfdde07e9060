/* Borrowed memory: memory of the host that serves requests for a device's
 * memory once the device has no more (MNM_OVERSUBSCRIBE). It belongs to no
 * pool: it is counted as foreign memory is, goes back to CUDA in the program's
 * free, and serves nobody else. docs/out-of-memory.md says what a program
 * notices. */
#ifndef MNM_BORROW_H
#define MNM_BORROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;

/* How much each device may borrow, in bytes: 0 for nothing. SIZE_AUTO: all
 * devices together may borrow a share of the machine's memory. */
void borrow_limit_set(size_t bytes);

/* Borrows for a request of the current context's device. Returns false if that
 * is not allowed, or CUDA refuses it; nothing has changed then. */
bool borrow(struct context *context, size_t size, uint64_t *addr);

/* CUDA does not pass the memory at addr to other processes: says why, once, if
 * it is borrowed. */
void borrow_not_passed(uint64_t addr);

#endif
