/* The board: where a process shows others how far its interprocess events are.
 * It is a file, and an event has a slot in it. All need the lock. */
#ifndef SIM_BOARD_H
#define SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct board_slot;
struct stream;

/* A slot of the own board, or NULL. */
struct board_slot *board_take(void);
void board_give(struct board_slot *slot);
/* Where others find it. */
int board_file(const struct board_slot *slot, uint64_t *offset);
/* Another process's slot, or NULL. It stays: queued work may look at it. */
struct board_slot *board_visit(int file, uint64_t offset);

/* Queues that the slot's event is recorded. */
CUresult board_record(struct board_slot *slot, struct stream *stream);
/* Whether its last record by any process is complete. */
bool board_done(const struct board_slot *slot);
/* Waits for that; drops the lock meanwhile. */
void board_wait(const struct board_slot *slot);
/* Queues a wait for that. */
CUresult board_hold(struct board_slot *slot, struct stream *stream);

#endif
