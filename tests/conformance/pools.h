/* Shared by the programs of claims about memory pools. */
#ifndef TESTS_CONFORMANCE_POOLS_H
#define TESTS_CONFORMANCE_POOLS_H

#include <stddef.h>

#include <cuda.h>

/* What the claims allocate. */
#define POOL_BLOCK ((size_t)32 << 20)

/* A pool of device 0 that may hold `most` bytes; 0 for no limit. */
CUmemoryPool pool_new(size_t most);
/* The same, and what is freed stays in it. */
CUmemoryPool pool_keeping(void);
/* One that other processes may open by a file. */
CUmemoryPool pool_shared(void);
cuuint64_t pool_number(CUmemoryPool pool, CUmemPool_attribute what);
void pool_set_number(CUmemoryPool pool, CUmemPool_attribute what,
		     cuuint64_t value);
/* Allows those policies of reuse only. */
void pool_allow(CUmemoryPool pool, int follow_events, int opportunistic,
		int internal);
cuuint64_t pool_reserved(CUmemoryPool pool);
cuuint64_t pool_used(CUmemoryPool pool);
/* POOL_BLOCK bytes. */
CUdeviceptr pool_block(CUmemoryPool pool, CUstream stream);
size_t device_free_bytes(void);

#endif
