/* A process that plays steps (player.h). */
#ifndef MNM_REPLAY_PLAYER_PROCESS_H
#define MNM_REPLAY_PLAYER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "player.h"

struct player_process {
	pid_t pid;
	int ended; /* a descriptor that can be read once it has ended */
	const struct player_result *result; /* as it is now */
};

/* Starts one that reads the descriptor `steps` and has that pool; the rest of
 * the environment is ready (players.h). It ends with this process. Prints what
 * is wrong and returns false; there is nothing to close then. */
bool player_process_start(struct player_process *process, int steps,
			  const char *pool);

/* Waits for its end, which is now if a signal came (cli/progress.h). Returns
 * false in that case, and, after a line behind `title`, if it failed but for a
 * device that is full. */
bool player_process_end(struct player_process *process, const char *title);
void player_process_close(struct player_process *process);

/* Writes all of them. Where there is no room by now, waits until a signal
 * comes (cli/progress.h). */
bool bytes_write(int fd, const void *from, size_t size);

#endif
