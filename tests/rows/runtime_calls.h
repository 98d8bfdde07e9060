/* Calls of the runtime, each with arguments that the seed draws. */
#ifndef MNM_RUNTIME_CALLS_H
#define MNM_RUNTIME_CALLS_H

#include <stddef.h>

#include <cuda_runtime_api.h>

/* Memory that the program holds. */
struct holding {
	enum { NOTHING, DEVICE, STREAM, MANAGED, PINNED } kind;
	char *ptr;
	size_t size; /* bytes that may be used */
	int device;  /* the device that was current */
};

enum { HOLDINGS = 8 };
extern struct holding holdings[HOLDINGS];

/* Returns a number from 0 to count - 1, as the seed says. */
unsigned int draw(unsigned int count);
void draw_seed(unsigned int seed);

struct holding *holding_drawn(void);

/* Frees what is held, if anything, by the call of the runtime that fits. */
cudaError_t holding_free(struct holding *holding);

/* Each prints its arguments and what came of the call. */
cudaError_t call_malloc(void);
cudaError_t call_pitch(void);
cudaError_t call_3d(void);
cudaError_t call_managed(void);
cudaError_t call_async(void);
cudaError_t call_pinned(void);
cudaError_t call_host_alloc(void);
cudaError_t call_free(void);
cudaError_t call_free_twice(void);
cudaError_t call_free_wrong(void);
cudaError_t call_free_async(void);
cudaError_t call_free_host(void);
cudaError_t call_info(void);
cudaError_t call_attributes(void);
cudaError_t call_ipc(void);
cudaError_t call_host_pointer(void);
cudaError_t call_fill(void);
cudaError_t call_device(void);
cudaError_t call_synchronize(void);
cudaError_t call_reset(void);

#endif
