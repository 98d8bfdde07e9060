/* What one process tells another so that it can open memory or events: the name
 * of a file of the first process, which the second finds in /proc. */
#ifndef SIM_HANDLE_H
#define SIM_HANDLE_H

#include <stdint.h>

#include <cuda.h>

enum handle_kind {
	HANDLE_MEMORY = 0x6d656d31,
	HANDLE_EVENT = 0x65766e31,
	HANDLE_POOL = 0x706f6c31,
	HANDLE_BLOCK = 0x626c6b31, /* of a pool */
};

struct handle {
	uint32_t kind;
	int32_t pid, file, device;
	uint64_t inode; /* of the file, whose number may be used again */
	uint64_t offset, size;
	uint64_t id; /* of the block or pool */
};

enum { HANDLE_SIZE = 64 };

_Static_assert(sizeof(CUipcMemHandle) == HANDLE_SIZE &&
		       sizeof(CUipcEventHandle) == HANDLE_SIZE &&
		       sizeof(CUmemPoolPtrExportData) == HANDLE_SIZE &&
		       sizeof(struct handle) <= HANDLE_SIZE,
	       "what the program passes on holds what names the memory");

/* Fills in what names this process and the handle's file, and writes
 * HANDLE_SIZE bytes. CUDA_ERROR_MAP_FAILED if there is no such file. */
CUresult handle_make(struct handle handle, void *out);
/* Reads HANDLE_SIZE bytes. Their kind is for the caller to check. */
struct handle handle_read(const void *from);
/* Opens the file that the handle names. CUDA_ERROR_MAP_FAILED if that process
 * has it no more. */
CUresult handle_open(const struct handle *handle, int *file);

#endif
