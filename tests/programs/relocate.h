/* Patches entries as tools do that watch a process. A jump is written over the
 * first bytes of an entry, and the overwritten instructions are made to run at
 * another place. */
#ifndef RELOCATE_H
#define RELOCATE_H

#include <stdbool.h>

enum { JUMP_SIZE = 14 };

/* From now on a jump leads from the entry to `to`. *behind does what the entry
 * did. Returns false if the first instructions are not of the few that all
 * tools know, or if there is no memory. */
bool entry_patch(void *entry, const void *to, void **behind);

/* Writes the entry's former bytes back. */
void entry_restore(void *entry, const void *behind);

/* Writes a jump of JUMP_SIZE bytes. */
void jump_write(unsigned char *at, const void *to);
unsigned char *code_room(unsigned int size);

#endif
