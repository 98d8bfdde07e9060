/* One request to this process, as its commands see it. */
#ifndef MNM_REQUEST_H
#define MNM_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/option.h"

enum { ERROR_SIZE = OPTION_ERROR_SIZE };

/* What a request may hold, a row each: FIELD(name, kind). The kinds are those
 * of request.c: a TEXT, a DEVICE's number or "host", a TIME in milliseconds
 * since 1970. */
/* clang-format off */
#define FIELD_LIST \
FIELD(command, TEXT) \
FIELD(device, DEVICE) \
FIELD(pool, TEXT) \
FIELD(option, TEXT) \
FIELD(value, TEXT) \
FIELD(until, TIME)

enum field {
#define FIELD(name, kind) FIELD_##name,
	FIELD_LIST
#undef FIELD
	FIELD_COUNT
};
/* clang-format on */

/* A set of fields is a word of these bits. */
#define HAS(name) (1u << FIELD_##name)

struct request {
	json_t *json;       /* what was sent; the texts are in it */
	unsigned int given; /* its fields */
	const char *command, *pool, *option, *value; /* NULL: not given */
	int device;    /* its ordinal; -1: all that are in use */
	int64_t until; /* ms since 1970, 0 = no time is set */
	int client;    /* a socket; -1: nobody has to wait for it */
	char error[ERROR_SIZE];
};

/* Sets request->error; NULL. */
json_t *fail(struct request *request, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads a line, without its newline. False: request->error is set. json is to
 * be released in each case. */
bool request_read(struct request *request, const char *line);

/* Whether all fields that are needed are given, and no others than those and
 * those that may be. False: request->error is set. */
bool request_fits(struct request *request, unsigned int needs,
		  unsigned int may);

/* The names of the fields in a set, as a new array. */
json_t *fields_json(unsigned int fields);

/* Whether somebody still waits for the answer: to be asked right before the
 * request is carried out, by who carries it out. False: request->error is set.
 */
bool request_awaited(struct request *request);

/* The command set: an option's value, read or changed. */
json_t *set_run(struct request *request);

/* All options, an object of texts. */
json_t *options_json(void);

#endif
