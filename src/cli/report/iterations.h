/* The iterations of a program, as marks or its repetitions divide it, of one
 * device. */
#ifndef MNM_ITERATIONS_H
#define MNM_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <mnm/record.h>

enum { ITERATIONS_MOST = 1000 };

struct iteration {
	uint64_t begin, end; /* nanoseconds */
	uint64_t peak;       /* bytes that lived at most */
	uint64_t requests, driver;
	uint64_t live, left; /* bytes at its begin, and at its end */
};

/* Where there are more than ITERATIONS_MOST, each of the list is several of
 * the program's. */
struct iterations {
	struct iteration list[ITERATIONS_MOST];
	unsigned int count;
	unsigned int each;  /* of the program's, in one of the list; 0: one */
	unsigned int begun; /* of the program's, in the last of the list */
	bool ended;         /* what follows is in none */
};

/* One begins; so much lives. */
void iterations_mark(struct iterations *iterations, uint64_t time,
		     uint64_t live);

/* The last one has ended. */
void iterations_end(struct iterations *iterations, uint64_t time,
		    uint64_t live);

/* An event, and how much lives after it. */
void iterations_note(struct iterations *iterations,
		     const struct mnm_record_event *event, uint64_t live);

/* {"each", "list": [{...}]}, or NULL if there was no mark. */
json_t *iterations_json(const struct iterations *iterations);

#endif
