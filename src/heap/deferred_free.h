/* Blocks that were freed while a stream was capturing. The graph may have them
 * in its nodes, so they are not used again while it lives, nor while a graph
 * made from it does: an executable, a copy, one that it became part of.
 *
 * All captures of a time share one hold, from the first's begin to the last's
 * end. */
#ifndef MNM_DEFERRED_FREE_H
#define MNM_DEFERRED_FREE_H

#include <stdbool.h>

struct block;
struct context;
struct device;

/* The first capture is about to begin; the last one has ended. */
void deferred_free_open(void);
void deferred_free_close(void);

/* Keeps a freed block. False: no capture is on, or no memory. */
bool deferred_free_keep(struct block *block);

/* A capture has yielded a graph. */
void deferred_free_graph(const void *graph);

/* The graphs of CUDA, or their executables: made from another one, or changed
 * to its nodes; given another's nodes besides its own; destroyed. */
void graph_made(const void *from, const void *graph);
void graph_attached(const void *from, const void *graph);
void graph_ended(const void *graph);

/* Sends the held blocks of a device back to the driver, as a free without us
 * would have done, also those of captures that are on. */
void deferred_free_release(struct device *device);

/* Hands what is held of a context back to its pools, or drops it if the
 * context is dead. Its lock is not held. */
void deferred_free_forget(struct context *context);

#endif
