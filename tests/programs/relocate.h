/* Patches entries as tools do that watch a process: a jump is written over the
 * first bytes of an entry, and what stood there is made runnable elsewhere. */
#ifndef RELOCATE_H
#define RELOCATE_H

#include <stdbool.h>

enum { JUMP_SIZE = 14 };

/* The entry, from which a jump leads to `to` from now on. *behind does what the
 * entry did. False: its first instructions are not of the few that all tools
 * know, or there is no memory. */
bool entry_patch(void *entry, const void *to, void **behind);

/* What stood there stands there again. */
void entry_restore(void *entry, const void *behind);

/* A jump, JUMP_SIZE bytes; and room for code. */
void jump_write(unsigned char *at, const void *to);
unsigned char *code_room(unsigned int size);

#endif
