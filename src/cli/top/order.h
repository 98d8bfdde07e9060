/* What `mnm top` asks of a program for its user, as `mnm swap` and others do.
 */
#ifndef MNM_ORDER_H
#define MNM_ORDER_H

#include <limits.h>

#include <jansson.h>

#include "cli/print.h"
#include "errand.h"

enum { ORDER_SAID_SIZE = 512 };

struct order {
	struct errand errand;
	/* Of the command line; those that are "" are not given. */
	const char *command, *action;
	int pid;
	char device[DEVICE_NAME_SIZE], pool[128], to[PATH_MAX];
	/* What has come of it. */
	char said[ORDER_SAID_SIZE]; /* one plain line for the user, or "" */
	json_t *pools;              /* of the command pools, or NULL */
};

/* A new order to the program of that pid, or NULL without memory. */
struct order *order_new(const char *command, int pid,
			void (*done)(struct errand *errand, void *arg));

void order_free(struct order *order);

#endif
