#include "launch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "scale.h"

enum { LOOK_MS = 100, SHOW_AFTER_MS = 500, STEPS = 4096 };

static bool steps_write(int fd, const struct script *script, double scale)
{
	static struct script_step part[STEPS];
	const struct player_start start = {
		.devices = (uint32_t)script->devices,
		.marks_told = script->marks_are_told,
		.requests = script->requests,
		.marks = script->marks,
	};
	bool fits = bytes_write(fd, &start, sizeof(start));
	size_t count;

	for (size_t i = 0; fits && i < script->count; i += count) {
		count = script->count - i < STEPS ? script->count - i : STEPS;
		for (size_t j = 0; j < count; j++)
			part[j] = scaled_step(&script->steps[i + j], scale);
		fits = bytes_write(fd, part, count * sizeof(*part));
	}
	return fits;
}

bool steps_open(struct steps_file *steps, const struct script *script,
		double scale)
{
	steps->count = script->count;
	steps->fd = memfd_create("mnm-steps", MFD_CLOEXEC);
	if (steps->fd >= 0 && steps_write(steps->fd, script, scale))
		return true;
	failure("no memory for %zu steps: %s", script->count, strerror(errno));
	steps_close(steps);
	return false;
}

void steps_close(struct steps_file *steps)
{
	if (steps->fd >= 0)
		close(steps->fd);
	steps->fd = -1;
}

static void progress_show(const struct steps_file *steps, const char *title,
			  const struct player_result *result)
{
	fprintf(stderr, "\r\033[K%s: %.0f %%; Ctrl-C ends it", title,
		100.0 * (double)result->steps /
			(double)(steps->count ? steps->count : 1));
	fflush(stderr);
}

/* Waits for the player's end. */
static void await(const struct player_process *process,
		  const struct steps_file *steps, const char *title)
{
	struct pollfd ended = {.fd = process->ended, .events = POLLIN};
	int64_t begun = progress_ms();
	bool shown = false;

	while (poll(&ended, 1, LOOK_MS) <= 0 && !stop_came()) {
		if (!progress_obeys() || progress_ms() - begun < SHOW_AFTER_MS)
			continue;
		progress_show(steps, title, process->result);
		shown = true;
	}
	if (shown)
		progress_clear();
}

bool player_run(const struct steps_file *steps, const char *pool,
		const char *title, struct player_result *result)
{
	struct player_process process;
	bool good;

	lseek(steps->fd, 0, SEEK_SET);
	if (!player_process_start(&process, steps->fd, pool))
		return false;
	await(&process, steps, title);
	good = player_process_end(&process, title);
	*result = *process.result;
	player_process_close(&process);
	return good;
}
