/* A plan in a file: docs/plan-format.md describes the bytes. A file may come
 * from anywhere, so whatever reads one trusts nothing of it. */
#ifndef MNM_PLAN_FILE_H
#define MNM_PLAN_FILE_H

#include "plan/beginning.h"
#include "plan/cycle.h"
#include "plan/plan.h"

enum {
	PLAN_FILE_MOST = 1 << 20, /* bytes of a file */
	PLAN_FILE_VERSION = 1,
	PLAN_FILE_HEAD = 24,          /* bytes before what is summed up */
	PLAN_FILE_UNIT = 512,         /* bytes, of sizes and addresses */
	PLAN_FILE_STREAMS = 256,      /* their numbers are below it */
	PLAN_FILE_SLOTS = 1 << 17,    /* of all laps, at most */
	PLAN_FILE_REQUESTS = 1 << 24, /* of an iteration, at most */
};

/* The first eight bytes of a file: "mnm plan". */
#define PLAN_FILE_MAGIC UINT64_C(0x6e616c70206d6e6d)

/* The most bytes of a plan's addresses. */
#define PLAN_FILE_PEAK ((uint64_t)1 << 44)

struct plan_file {
	struct cycle cycle; /* of what is said of bytes, only `peak` is set */
	struct plan plan;
	uint32_t least;  /* the request of a lap at which least is live */
	uint32_t device; /* its ordinal, on which the plan was made */
	struct beginning beginning;
};

/* The bytes of a file, from malloc, and how many. NULL: there is no memory, or
 * the plan keeps not within the bounds above. */
unsigned char *plan_file_write(const struct plan_file *file, size_t *size);

/* Reads the bytes of a file, of which plan_file_release frees what was made.
 * Returns NULL, or what is wrong in a few words; then nothing was made. What
 * was read may be followed: no two buffers that live at the same time overlap,
 * and all keep within the bounds above. */
const char *plan_file_read(struct plan_file *file, const unsigned char *bytes,
			   size_t size);
void plan_file_release(struct plan_file *file);

/* The checksum of some bytes. */
uint64_t plan_file_sum(const unsigned char *bytes, size_t size);

#endif
