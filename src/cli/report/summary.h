/* What a recording comes to, by device. */
#ifndef MNM_SUMMARY_H
#define MNM_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/record.h>

/* Blocks with something in common. */
struct holder {
	uint64_t key, blocks, bytes;
};

struct holders {
	struct holder *at; /* those of the most bytes first */
	size_t count;
};

/* A request that failed, and what was live then. */
struct failed_request {
	uint64_t time, size, site;
	uint64_t live, span; /* bytes, of the device */
};

enum { FAILURES_KEPT = 5 }; /* of each device, the first ones */

/* Return addresses, the innermost first; none: it is not of a peak. */
struct call_stack {
	size_t count;
	uint64_t *frames;
};

struct device_summary {
	bool used;
	uint64_t requests, frees, failed, driver, fences, swaps, trims;
	uint64_t live, span; /* bytes, now */
	uint64_t peak;       /* most live bytes */
	uint64_t peak_span;  /* what they took in their pools then */
	uint64_t peak_time;  /* when, in nanoseconds */
	uint64_t peak_event; /* the number of its event, from 0 */
	uint64_t reserved;   /* most bytes that its pools held; 0: unknown */
	struct failed_request failures[FAILURES_KEPT];
	/* Of the peak: by the site, by the number of the ranges in which the
	 * block was asked for, and by that of its stack; 0: none. */
	struct holders holders, ranges, stacks;
};

struct summary {
	uint64_t events, dropped;
	uint64_t begin, end; /* the first time and the last, nanoseconds */
	uint64_t marks;
	char **paths; /* of ranges, by their numbers, from 1 */
	unsigned int path_count;
	struct call_stack *stacks; /* by their numbers */
	uint32_t stack_count;
	struct device_summary devices[UINT8_MAX + 1];
};

/* Reads a recording twice: the second time up to the peaks. Returns false and
 * says why, in one line of at most error_size bytes, if it can't be read. What
 * is wrong with its end is in `wrong`, or that is empty. Calls `code` for each
 * file of code, and each name. */
bool summary_read(struct summary *summary, const char *path,
		  void (*code)(void *argument,
			       const struct mnm_record_event *event),
		  void *argument, char *wrong, char *error, size_t error_size);
void summary_release(struct summary *summary);

enum { DEVICE_TEXT_SIZE = 32 };

/* Says that the recording's second line can't be read. Returns 1. */
int head_damaged(const char *path);

/* "pinned memory", or "device 3". */
const char *device_text(unsigned int device, char text[DEVICE_TEXT_SIZE]);

#endif
