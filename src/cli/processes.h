/* Programs under mnm that no folder of sockets shows: see proc(5). */
#ifndef MNM_PROCESSES_H
#define MNM_PROCESSES_H

#include <stdbool.h>

struct jobs;

/* Whether libmnm.so is loaded in that process, as far as the caller may see. */
bool process_has_library(int pid);

/* Adds the process of that pid, or all (0), if it has loaded the library and is
 * not in the list. It is added by a socket in another place, which its control
 * thread has, or as one that has no socket yet. Left out are processes that are
 * told to stay inert, and forked children, which count as their parent's; with
 * MNM_SOCKET_DIR also all that were not started with the same folder. */
void jobs_add_processes(struct jobs *jobs, int pid);

#endif
