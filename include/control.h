/* The control socket of this process: one thread that answers one-line
 * requests, as in include/protocol.h. It makes no CUDA call. */
#ifndef MNM_CONTROL_H
#define MNM_CONTROL_H

/* Opens the socket and starts the thread. What fails is logged once, and the
 * program goes on without. */
void control_open(void);

/* In a forked child: the socket belongs to the parent. */
void control_forget(void);

/* Writes the statistics to the file of option stat_file; at exit. */
void control_write_stat(void);

#endif
