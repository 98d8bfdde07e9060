/* Programs under mnm that no folder of sockets shows: see proc(5). */
#ifndef MNM_PROCESSES_H
#define MNM_PROCESSES_H

#include <stdbool.h>

struct jobs;

/* Whether libmnm.so is loaded there, as far as one may see. */
bool process_has_library(int pid);

/* Adds the process of that pid, or all (0), that the library is loaded into
 * and that are not in the list: by a socket in another place, as its control
 * thread has it, or as one that has none yet. Not those that are told to stay
 * inert, nor forked children, which are their parent's. With MNM_SOCKET_DIR
 * only those that were started with the same. */
void jobs_add_processes(struct jobs *jobs, int pid);

#endif
