/* Reads what mnm has recorded of a program: a file of `mnm run --record`,
 * `mnm record` or MNM_RECORD. docs/trace-format.md describes its bytes.
 *
 * Link with libmnm-record.a and libzstd. All calls of one reader have to come
 * from one thread at a time. */
#ifndef MNM_RECORD_H
#define MNM_RECORD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mnm_record_kind {
	MNM_RECORD_LIVE,   /* memory that was there before the record, or before
			    * that part of it which was kept */
	MNM_RECORD_ALLOC,  /* a request that succeeded */
	MNM_RECORD_FREE,   /* a free; size, span and pool are 0 */
	MNM_RECORD_FAILED, /* a request that failed; the address is 0 */
	MNM_RECORD_SWAP, /* the pool of a device was swapped; text: its name */
	MNM_RECORD_TRIM, /* idle memory went back; size: so many bytes */
	MNM_RECORD_MARK, /* an iteration begins */
	/* NVTX's ranges, with names such as "forward" or "NCCL: reduce", of
	 * which the first word is a domain. A pop ends the last range that was
	 * pushed in its thread with the same address, which stands for the
	 * domain. A start may end in another thread, by the stop with its
	 * address. */
	MNM_RECORD_PUSH, /* a range begins in this thread; text: its name */
	MNM_RECORD_POP,
	MNM_RECORD_MODULE, /* code lies at the address, size bytes of it: of the
			    * file that the text names, from its byte `span` */
	MNM_RECORD_RESERVED, /* the pools of a device hold `size` bytes of it,
			      * live and idle ones; looked at every 20 ms */
	MNM_RECORD_TOOK,  /* the last request or free of this thread has taken
			   * `size` nanoseconds; only of slow ones */
	MNM_RECORD_NAME,  /* what calls from that site, or from that address of
			   * a stack, has the name of the text: its file, a
			   * tab, and its function. Of code that was made as
			   * the program ran, such as Python's; and in
			   * recordings that were made from other files, whose
			   * sites are no addresses */
	MNM_RECORD_START, /* a range begins; text: its name */
	MNM_RECORD_STOP,
	MNM_RECORD_POINT, /* NVTX's mark; text: what it says */
	MNM_RECORD_STACK, /* a stack that requests which follow have;
			   * mnm_record_stack has it */
	MNM_RECORD_BUILD, /* of the module at the address, which was told before
			   * it; text: its file's build-id, in hexadecimal */
	MNM_RECORD_REGION, /* blocks of this pool from the address on, in `size`
			    * bytes, are parts of one region */
	MNM_RECORD_REGION_END, /* the region at the address has gone */
	MNM_RECORD_KINDS
};

/* Flags of requests and frees. */
enum {
	MNM_RECORD_SERVED = 1, /* by a pool; else by CUDA itself */
	MNM_RECORD_DRIVER = 2, /* of a request: the driver was asked for memory,
				* or given some back, for it; of a free: CUDA
				* itself frees it */
	MNM_RECORD_FENCE = 4,  /* of a request: a fence was made for it */
	MNM_RECORD_ORDERED = 8,  /* in the order of a stream: cudaMallocAsync */
	MNM_RECORD_STACKED = 16, /* of a request: its stack is known */
};

/* In place of a device: pinned memory of the host; none. */
enum { MNM_RECORD_HOST = 64, MNM_RECORD_NOWHERE = 255 };

struct mnm_record_event {
	uint64_t time;    /* nanoseconds since the record began */
	uint64_t address; /* of the memory */
	uint64_t size;    /* bytes that were asked for */
	uint64_t span;    /* bytes that it takes in its pool; 0: not known */
	uint64_t site;    /* the address of the code that called; 0: unknown */
	uint32_t thread;  /* as gettid(2) numbers it */
	uint32_t stream;  /* numbered from 1 as they are met; 0: none */
	uint8_t kind;     /* enum mnm_record_kind */
	uint8_t flags;
	uint8_t device;   /* its ordinal, or one of those above */
	uint8_t pool;     /* for mnm_record_pool; 0: none */
	uint32_t stack;   /* for mnm_record_stack; 0: none */
	const char *text; /* as the kind says, or NULL */
};

struct mnm_record;

/* Opens a file. Returns NULL and says why, in one line of at most error_size
 * bytes, if it can't be read or is no record. */
struct mnm_record *mnm_record_open(const char *path, char *error,
				   size_t error_size);
void mnm_record_close(struct mnm_record *record);

/* The same of a record that is being made, from the part on that PATH has now,
 * which begins with what lives. mnm_record_next returns NULL where there is
 * nothing new: it can be called again later, and goes on with the parts that
 * follow. */
struct mnm_record *mnm_record_follow(const char *path, char *error,
				     size_t error_size);

/* What the file says of the program: a JSON object (docs/trace-format.md). */
const char *mnm_record_about(const struct mnm_record *record);

/* The next event, valid until the next call; NULL after the last one (but see
 * mnm_record_follow). Events
 * come in the order of their times, but for those that their thread has handed
 * over late. */
const struct mnm_record_event *mnm_record_next(struct mnm_record *record);

/* The name of a pool that an event has named, or "". */
const char *mnm_record_pool(const struct mnm_record *record, unsigned int pool);

/* The return addresses of a stack, that of the call of CUDA first; *count is
 * how many there are. Valid until the record is closed. */
const uint64_t *mnm_record_stack(const struct mnm_record *record,
				 uint32_t stack, size_t *count);

/* After the last event: what is wrong with the rest of the file, or NULL. */
const char *mnm_record_error(const struct mnm_record *record);

/* How many events were dropped before the one that was returned last, as the
 * program made more than could be written. */
uint64_t mnm_record_dropped(const struct mnm_record *record);

#ifdef __cplusplus
}
#endif

#endif
