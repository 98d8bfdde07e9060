/* Memory that other streams use besides the one that it is freed in. */
#ifndef MNM_RECORDED_H
#define MNM_RECORDED_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

enum { RECORDED_MOST = 8 };

struct recorded_streams {
	size_t count; /* more than RECORDED_MOST: the rest is not known */
	CUstream at[RECORDED_MOST];
};

/* Notes that a stream uses the memory. */
void recorded_add(CUdeviceptr ptr, CUstream stream);

/* Returns whether memory that is about to be freed has such streams, and which;
 * they are forgotten. */
bool recorded_take(CUdeviceptr ptr, struct recorded_streams *streams);

#endif
