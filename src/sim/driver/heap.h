/* The heap of a context, from which its kernels take memory with malloc(). It
 * is made when the first kernel is launched that does so, and ends with the
 * context. */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct context;
struct heap;

/* The context's heap, which is made at the first call, as large as the limit
 * says. CUDA_ERROR_OUT_OF_MEMORY. Needs the lock. */
CUresult heap_open(struct context *ctx, struct heap **heap);
/* Frees it, but for the block that its memory is. Needs the lock. */
void heap_close(struct context *ctx);
/* Memory for a kernel; 0 if there is no room. Needs no lock. */
CUdeviceptr heap_take(struct heap *heap, uint64_t size);
/* Gives it back. False if the heap has given out nothing there. */
bool heap_give(struct heap *heap, CUdeviceptr addr);

#endif
