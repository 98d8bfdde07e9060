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
FIELD(action, TEXT) \
FIELD(file, TEXT) \
FIELD(size, TEXT) \
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
	json_t *json;       /* what was sent; it holds the texts */
	unsigned int given; /* the fields that it has, as HAS bits */
	/* NULL if not given. */
	const char *command, *pool, *option, *value, *action, *file, *size;
	int device;    /* its ordinal; -1 for all in use */
	int64_t until; /* ms since 1970, 0 if none is set */
	int client;    /* a socket; -1 if nobody has to wait for it */
	char error[ERROR_SIZE];
};

/* Sets request->error. Returns NULL. */
json_t *fail(struct request *request, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads a line, without its newline. Returns false if it is wrong;
 * request->error says why. The caller releases request->json in either case. */
bool request_read(struct request *request, const char *line);

/* Whether the request has all fields that are needed, and no others than those
 * and the ones that it may have. If not, request->error says why. */
bool request_fits(struct request *request, unsigned int needs,
		  unsigned int may);

/* The names of the fields in a set, as a new array. */
json_t *fields_json(unsigned int fields);

/* Whether somebody still waits for the answer. To be called right before the
 * request is carried out, by whatever carries it out. If not, request->error
 * says why. */
bool request_awaited(struct request *request);

/* Runs the command `set`, which reads or changes an option's value. */
json_t *set_run(struct request *request);

/* Runs the command `plan`, which hands out the plan of a pool. */
json_t *plan_run(struct request *request);

/* Runs the command `record`, which begins or ends a recording. */
json_t *record_run(struct request *request);

struct device;

/* The device's ordinal, or "host". */
json_t *device_name(const struct device *device);

/* The values of all options, as an object of texts. */
json_t *options_json(void);

#endif
