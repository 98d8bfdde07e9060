/* A table of descriptors of a thread's own, so that its descriptors
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

/* The same for a thread that is about to end, and keeps the program's stderr
 * for its lines. Returns false as well if the program has a message queue: as
 * the thread ends, so would what the program asked of mq_notify. */
bool fd_table_part_briefly(void);

#endif
