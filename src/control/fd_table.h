/* A table of descriptors of the control thread's own, so that its descriptors
 * and the program's never meet: no number is taken from the program, nothing
 * that it closes is ours, and nothing that it closes stays open with us. */
#ifndef MNM_FD_TABLE_H
#define MNM_FD_TABLE_H

#include <stdbool.h>

/* Gives the calling thread an empty table, and leads its log lines to what is
 * the program's stderr at that time. False where the kernel lacks what it
 * takes (Linux 5.9) or a filter forbids it: then nothing has changed. */
bool fd_table_part(void);

#endif
