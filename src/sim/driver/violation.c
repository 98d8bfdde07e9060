#include "violation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "owner.h"
#include "world.h"

enum { PRINTED_MOST = 20, BLOCK_MOST = 1024 };

static unsigned long count;

/* One report. It is written in one piece, so that reports of threads
 * do not mix. */
struct text {
	char bytes[BLOCK_MOST];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text,
						      const char *format, ...)
{
	size_t room = sizeof(text->bytes) - text->len;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text->bytes + text->len, room, format, args);
	va_end(args);
	if (len > 0)
		text->len += (size_t)len < room ? (size_t)len : room - 1;
}

static void side_add(struct text *text, const char *when,
		     const struct side *side)
{
	const struct site *site = side->site;
	const struct owner *owner = side->owner;

	add(text, "  %s: %s, thread %ld", when, site->call, site->thread);
	if (site->stream_kind)
		add(text, ", stream %llu (%s) place %" PRIu64, site->stream,
		    site->stream_kind, site->place);
	add(text, ", [%#llx, %#llx)%s", side->addr, side->end,
	    site->widened ? " with gaps" : "");
	if (owner && owner->named)
		add(text, " of \"%s\"", owner->label);
	else if (owner)
		add(text, " of the driver's block");
	if (owner)
		add(text, " generation %" PRIu64, owner->generation);
	add(text, "\n");
}

void violation_report(const char *what, const struct side *now,
		      const struct side *before)
{
	struct text text = {.len = 0};
	unsigned long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	ssize_t written;

	if (number > PRINTED_MOST)
		return;
	add(&text, "mnm-sim: violation %lu", number);
	if (world.seed.on)
		add(&text, ", seed %" PRIu64, world.seed.value);
	add(&text, ": %s\n", what);
	side_add(&text, "now", now);
	if (before)
		side_add(&text, "before", before);
	if (number == PRINTED_MOST)
		add(&text, "mnm-sim: no more violations are printed\n");
	written = write(STDERR_FILENO, text.bytes, text.len);
	(void)written; /* there is nowhere else to say it */
}

unsigned long violation_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
