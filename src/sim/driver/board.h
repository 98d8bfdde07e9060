/* The board is a file in which a process shows others how far its
 * interprocess events have come. Each of these events has a slot in it. All
 * calls need the lock. */
#ifndef SIM_BOARD_H
#define SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct board_slot;
struct stream;

/* Takes a free slot of this process's board, or returns NULL. */
struct board_slot *board_take(void);
void board_give(struct board_slot *slot);
/* Returns the file of this process's board and sets the slot's offset in it. */
int board_file(const struct board_slot *slot, uint64_t *offset);
/* A slot in another process's board, or NULL. The board stays mapped, since
 * queued work may look at it. */
struct board_slot *board_visit(int file, uint64_t offset);

/* Queues a record of the slot's event. */
CUresult board_record(struct board_slot *slot, struct stream *stream);
/* Whether the slot's last record by any process is complete. */
bool board_done(const struct board_slot *slot);
/* Waits until that record is complete. Drops the lock meanwhile. */
void board_wait(const struct board_slot *slot);
/* Queues a wait for that record, unless it is complete. */
CUresult board_hold(struct board_slot *slot, struct stream *stream);

#endif
