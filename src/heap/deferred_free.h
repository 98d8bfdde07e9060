/* Blocks that were freed while a stream was capturing. The graph may use them
 * in its nodes. So they are not reused while the graph lives, or while a graph
 * made from it lives: an executable, a copy, or a graph that it became a part
 * of.
 *
 * Captures that overlap share one hold: from the start of the first to the end
 * of the last. */
#ifndef MNM_DEFERRED_FREE_H
#define MNM_DEFERRED_FREE_H

#include <stdbool.h>

struct block;
struct context;
struct device;

/* Open: the first capture is about to begin. Close: the last one has ended. */
void deferred_free_open(void);
void deferred_free_close(void);

/* Keeps a freed block. Returns false if no capture is on, or if there was no
 * memory for its hold. */
bool deferred_free_keep(struct block *block);

/* A capture has yielded a graph. */
void deferred_free_graph(const void *graph);

/* What happens to a graph of CUDA's, or to an executable of one. Made: it was
 * made from another one, or its nodes became those of the other. Attached: it
 * was given another's nodes besides its own. Ended: it was destroyed. */
void graph_made(const void *from, const void *graph);
void graph_attached(const void *from, const void *graph);
void graph_ended(const void *graph);

/* Sends the held blocks of a device back to the driver, also those of captures
 * that are on: without mnm their frees would have done so. */
void deferred_free_release(struct device *device);

/* Hands what is held of a context back to its pools, or drops it if the context
 * is dead. The caller does not hold the context's lock. */
void deferred_free_forget(struct context *context);

#endif
