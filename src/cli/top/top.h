/* What `mnm top` knows while it runs. */
#ifndef MNM_TOP_H
#define MNM_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "list.h"
#include "order.h"
#include "prompt.h"
#include "table.h"

/* What the keys are for. */
enum mode { MODE_TABLE, MODE_LIST, MODE_PROMPT };

struct top {
	struct table table;
	enum mode mode;
	struct list list;
	struct prompt prompt;
	struct row target;   /* what a list or prompt is about */
	struct order *order; /* the one that waits for its answer, or NULL */
	char message[ORDER_SAID_SIZE]; /* until the next key; or "" */
	char warning[ORDER_SAID_SIZE]; /* of the last look; or "" */
	int64_t delay_ms;
	int64_t due_ms; /* when the next look begins, of ms_now */
	bool looking, looked;
	bool paused, ended;
	int page; /* rows or items that the screen has, at least 1 */
};

/* Sets the message, in plain ASCII. */
void top_say(struct top *top, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
