/* mnm top: all programs on one screen, and keys to steer them. */
#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/descriptors.h"
#include "keys.h"
#include "terminal.h"
#include "top.h"
#include "view.h"

enum {
	LOOK_MS = 1000, /* for which a program may be silent */
	DELAY_MS = 1000,
};

void top_say(struct top *top, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(top->message, sizeof(top->message), format, args);
	va_end(args);
}

/* A look at all programs. */
struct look {
	struct errand errand;
	struct rows rows;
};

static void look_run(struct errand *errand)
{
	struct look *look = (struct look *)errand;
	struct jobs jobs;

	jobs_look(&jobs, ms_now() + LOOK_MS);
	rows_read(&look->rows, &jobs);
	jobs_close(&jobs);
}

/* What was printed since the last look is a warning until the next. */
static void look_done(struct errand *errand, void *arg)
{
	struct look *look = (struct look *)errand;
	struct top *top = arg;

	top->looking = false;
	top->looked = true;
	table_update(&top->table, &look->rows);
	terminal_said(top->warning, sizeof(top->warning));
	free(look);
}

/* Begins a look if it is time; in a pause only after an order, whose effect is
 * to be seen. */
static void look_begin(struct top *top)
{
	int64_t now = ms_now();
	struct look *look;

	if (top->looking || now < top->due_ms || (top->paused && top->due_ms))
		return;
	top->due_ms = now + top->delay_ms;
	look = calloc(1, sizeof(*look));
	if (!look)
		return;
	look->errand = (struct errand){look_run, look_done};
	top->looking = errand_start(&look->errand);
	if (!top->looking)
		free(look);
}

static void keys_take(struct top *top)
{
	wint_t key;
	int kind;

	while (!top->ended && (kind = get_wch(&key)) != ERR)
		key_take(top, key, kind == KEY_CODE_YES);
}

/* The screen is drawn each second at least, as it has a clock. */
static int64_t patience(const struct top *top)
{
	int64_t left = top->due_ms - ms_now();

	return top->looking || top->paused || left > DELAY_MS ? DELAY_MS : left;
}

static void steer(struct top *top, int done)
{
	struct errand *errand;

	do {
		keys_take(top);
		while ((errand = errand_done()))
			errand->done(errand, top);
		look_begin(top);
		view_draw(top);
	} while (!top->ended && terminal_wait(done, patience(top)));
}

int top_run(const struct command *command, const struct arguments *arguments)
{
	struct top top = {.delay_ms =
				  arguments->delay > 0
					  ? (int64_t)(arguments->delay * 1000)
					  : DELAY_MS};
	int done;

	(void)command;
	descriptors_raise();
	done = errands_open();
	if (done < 0)
		return failure("no descriptor is left");
	if (!terminal_open())
		return EXIT_FAILED;
	view_open();
	table_open(&top.table);
	steer(&top, done);
	terminal_close();
	/* What still runs ends with the process; an order that has not begun is
	 * not carried out. */
	list_free(&top.list);
	table_close(&top.table);
	return EXIT_DONE;
}
