/* Foreign memory: the program has it by calls that no pool serves. It is
 * counted, so that the figures add up to what CUDA says of the device.
 *
 * Bytes are those asked for. Memory that ends with its context is forgotten
 * with it. All functions are quick in a program that makes no such call; in
 * others they may take a lock. */
#ifndef MNM_FOREIGN_H
#define MNM_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/counter_list.h"

struct context;
struct device;
struct foreign;

/* What a handle names: the same number may be a handle of several kinds. A
 * memory pool of CUDA's has no bytes of its own here. */
enum foreign_key {
	FOREIGN_ADDRESS,
	FOREIGN_ARRAY,
	FOREIGN_PHYSICAL,
	FOREIGN_EXTERNAL,
	FOREIGN_POOL,
};

/* The figure that counts it. */
enum foreign_kind {
	FOREIGN_NONE,
	FOREIGN_MANAGED,
	FOREIGN_PITCHED,
	FOREIGN_ASYNC,
	FOREIGN_ARRAYS,
	FOREIGN_VIRTUAL,
	FOREIGN_IMPORTED,
	FOREIGN_BORROWED, /* managed memory; see borrow.h */
	FOREIGN_BORROWED_PINNED,
};

/* A call that is about to yield memory of this process. */
struct foreign_claim {
	struct device *device;         /* NULL if it is not counted */
	const struct context *context; /* it ends with, or NULL */
	size_t bytes;                  /* claimed of the device */
};

/* Claims bytes of the device with this ordinal, of the host (DEVICE_HOST), or
 * of the current context's device (-1). Returns false if that would pass the
 * hard limit; the program is out of memory then. */
bool foreign_claim(struct foreign_claim *order, int ordinal, size_t bytes);

/* Got: the call has yielded the memory, which is counted; physical memory and
 * pools belong to no context. Returns false if it is not counted. Cancel: the
 * call has failed. */
bool foreign_got(const struct foreign_claim *order, enum foreign_kind kind,
		 enum foreign_key key, uint64_t handle, size_t bytes);
void foreign_cancel(const struct foreign_claim *order);

/* A call has yielded memory of others, in the current context. The ordinal is
 * that of its device, or DEVICE_HOST; -1 stands for the context's device.
 * Returns false if it is not counted. */
bool foreign_add_import(enum foreign_key key, uint64_t handle, int ordinal,
			size_t bytes);

/* The ordinal of the device that the memory is of, or DEVICE_HOST; -1 if that
 * is not known. */
int foreign_device(enum foreign_key key, uint64_t handle);

/* Begin: a call that ends the memory is about to be made; the handle is
 * forgotten now, as it may be another's right after. Finish: the call has
 * returned, and may have failed. NULL if the memory is not known. */
struct foreign *foreign_end_begin(enum foreign_key key, uint64_t handle);
void foreign_end_finish(struct foreign *seen, int failed);

/* Whether the memory at addr is borrowed. */
bool foreign_is_borrowed(uint64_t addr);

/* The context of borrowed memory that is pinned; NULL for any other. */
struct CUctx_st *foreign_pinned_by(const struct foreign *seen);

/* Physical memory lives until its last handle is released and its last mapping
 * is gone: each of these is a use. Grab adds a use, before a call that may end
 * others; drop takes away so many. Map adds the use of a mapping at addr. NULL
 * if the memory is not known. */
struct foreign *foreign_grab(uint64_t handle);
void foreign_drop(struct foreign *seen, unsigned int uses);
void foreign_map(uint64_t handle, uint64_t addr);

/* Begin takes away the mappings of a range that is about to be unmapped. Finish
 * says whether that has failed. */
struct mapping;
struct mapping *foreign_unmap_begin(uint64_t addr, size_t size);
void foreign_unmap_finish(struct mapping *list, int failed);

/* A context has ended. */
void foreign_forget(const struct context *context);

/* Calls each for all of it but what other processes share. */
struct mnm_record_event;
void foreign_each(void (*each)(const struct mnm_record_event *event));

/* Calls each for all of it that is of the device. Waits for no lock: returns
 * false, and calls nothing, if another thread has it. */
bool foreign_try_each(const struct device *device,
		      void (*each)(enum foreign_kind kind, size_t bytes,
				   void *arg),
		      void *arg);

#endif
