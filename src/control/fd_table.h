/* A table of descriptors of the control thread's own, so that its descriptors
 * and the program's never meet: the thread takes no number from the program,
 * the program closes nothing of the thread's, and what the program closes does
 * not stay open in the thread. */
#ifndef MNM_FD_TABLE_H
#define MNM_FD_TABLE_H

#include <stdbool.h>

/* Gives the calling thread an empty table, and sends its log lines to what is
 * the program's stderr at that time. Returns false, and has changed nothing, if
 * the kernel lacks what this needs (Linux 5.9) or a filter forbids it. */
bool fd_table_part(void);

#endif
