/* One request to this process, as its commands see it. */
#ifndef MNM_REQUEST_H
#define MNM_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/option.h"

enum { WORDS_MAX = 16, ERROR_SIZE = OPTION_ERROR_SIZE };

struct request {
	const char *name;
	const char *word[WORDS_MAX]; /* past the name and the options */
	int words;
	bool json, all_figures;
	int device;    /* -1: all that are in use */
	int client;    /* a socket; -1: nobody has to wait for it */
	int64_t until; /* ms since 1970, 0 = no time is set */
	char error[ERROR_SIZE];
};

/* Sets request->error; NULL. */
json_t *fail(struct request *request, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Cuts the line into words. False: request->error is set. */
bool request_parse(struct request *request, char *line);

/* Whether somebody still waits for the answer: to be asked right before the
 * request is carried out, by who carries it out. False: request->error is set.
 */
bool request_awaited(struct request *request);

/* The command set: an option's value, read or changed. */
json_t *set_run(struct request *request);

/* All options, an object of texts. */
json_t *options_json(void);

#endif
