/* mnm shadow: what other pools would need of a running program's requests. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/replay/players.h"
#include "feed.h"
#include "shadows.h"

/* EACH_S: seconds from one table to the next. NEWS_MS: a program's notes are
 * written once a second. */
enum { EACH_S = 2, NEWS_MS = 100, DEVICES_LEAST = 8, EXIT_MS = 3000 };

/* Of a device whose size nobody has told: more than any has. */
static const char roomy[] = "1024G";

static bool shadow_start(struct shadow *shadow, const char *pool, int devices)
{
	const struct player_start start = {.devices = (uint32_t)devices,
					   .marks_told = true};
	int ends[2];

	shadow->pool = pool;
	if (pipe(ends))
		return failure("%s", strerror(errno)) == EXIT_DONE;
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFL, O_NONBLOCK); /* see bytes_write */
	if (!player_process_start(&shadow->process, ends[0], pool)) {
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	close(ends[0]);
	shadow->steps = ends[1];
	return bytes_write(shadow->steps, &start, sizeof(start));
}

static void look(struct shadows *shadows, bool json)
{
	static bool again;

	if (json) {
		shadows_print_json(shadows);
	} else {
		if (output_obeys())
			printf("\033[H\033[2J");
		else if (again)
			putchar('\n');
		shadows_print(shadows);
	}
	again = true;
	fflush(stdout);
}

/* Whether what a program that runs does is still heard of. As a program exits,
 * its recording ends a moment before it. */
static bool is_recorded(struct shadows *shadows, bool runs)
{
	if (!runs || followed_runs(&shadows->followed)) {
		shadows->lost_ms = 0;
		return true;
	}
	if (!shadows->lost_ms)
		shadows->lost_ms = progress_ms();
	if (progress_ms() - shadows->lost_ms < EXIT_MS)
		return true;
	failure("the recording that was followed has ended");
	return false;
}

/* Until a signal comes, nobody reads, or the program has ended and all that it
 * did is handed on. */
static bool follow(struct shadows *shadows, double each, bool json)
{
	int64_t due = shadows->begun_ms;
	bool runs = true, good = true, more = false;

	while ((runs || news_wait(shadows)) && good && !stop_came() &&
	       !ferror(stdout)) {
		good = news_feed(shadows, &more);
		if (progress_ms() >= due) {
			if (runs && !followed_ask(&shadows->followed)) {
				runs = false;
				shadows->is_at_end = false; /* look again */
			}
			good = good && is_recorded(shadows, runs);
			due = progress_ms() + (int64_t)(each * 1000);
			if (runs || news_wait(shadows))
				look(shadows, json);
		}
		if (!more)
			poll(NULL, 0, NEWS_MS);
	}
	return good;
}

/* So many that each device of the program is among them, and some that it may
 * use later. */
static int devices_of(const json_t *answer)
{
	const json_t *each;
	int devices = DEVICES_LEAST;
	size_t index;

	json_array_foreach(json_object_get(answer, "devices"), index, each)
	{
		int64_t number = field_number(each, "device");

		if (number >= devices && number < STAGE_DEVICES)
			devices = (int)number + 1;
	}
	return devices;
}

static bool shadows_start(struct shadows *shadows,
			  const struct player_pools *pools)
{
	shadows->list = calloc(pools->count, sizeof(*shadows->list));
	if (!shadows->list)
		return failure("no memory") == EXIT_DONE;
	for (size_t i = 0; i < pools->count; i++) {
		if (!shadow_start(&shadows->list[i], pools->names[i],
				  shadows->devices))
			return false;
		shadows->count++;
	}
	return true;
}

/* Returns whether each of them has played all, or was full. */
static bool shadows_end(struct shadows *shadows)
{
	bool good = true;

	for (size_t i = 0; i < shadows->count; i++)
		shadow_stop(&shadows->list[i]);
	for (size_t i = 0; i < shadows->count; i++) {
		struct shadow *shadow = &shadows->list[i];

		good &= player_process_end(&shadow->process, shadow->pool) ||
			stop_came();
	}
	return good;
}

static void shadows_close(struct shadows *shadows)
{
	for (size_t i = 0; i < shadows->count; i++)
		player_process_close(&shadows->list[i].process);
	live_blocks_close(&shadows->live);
	script_release(&shadows->news);
	free(shadows->list);
}

static int shadows_run(struct shadows *shadows, const struct command *command,
		       const struct arguments *arguments)
{
	double each = arguments->watch > 0 ? arguments->watch : EACH_S;
	struct player_pools pools = {0};
	const char *profile = arguments->roomy ? arguments->roomy : roomy;
	int status =
		players_prepare(command, arguments, profile, shadows->devices,
				arguments->shadow_pools, &pools);
	bool good;

	if (status) {
		player_pools_free(&pools);
		return status;
	}
	shadows->begun_ms = progress_ms();
	good = shadows_start(shadows, &pools) &&
	       followed_begin(&shadows->followed) &&
	       follow(shadows, each, arguments->json);
	good = shadows_end(shadows) && good;
	if (good && !stop_came())
		look(shadows, arguments->json);
	shadows_close(shadows);
	player_pools_free(&pools);
	return good ? EXIT_DONE : EXIT_FAILED;
}

int shadow_command(const struct command *command,
		   const struct arguments *arguments)
{
	struct shadows shadows = {0};
	int status, pid;

	if (pid_read(command, arguments->shadowed, &pid))
		return EXIT_USAGE;
	stop_watch_all();
	signal(SIGPIPE, SIG_IGN);
	if (!followed_find(&shadows.followed, pid))
		return EXIT_FAILED;
	shadows.devices = devices_of(shadows.followed.jobs.list[0].answer);
	status = shadows_run(&shadows, command, arguments);
	followed_end(&shadows.followed);
	return status;
}
