#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "about.h"
#include "common/log.h"
#include "common/pool_list.h"
#include "common/version.h"
#include "context/context.h"
#include "gate/gate.h"
#include "heap/noted.h"
#include "mem/config.h"
#include "mem/foreign.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "request.h"
#include "stats/counter.h"

enum { LEAVE_SECONDS = 2, RESERVED_NS = 1000000000 };

static _Atomic bool was_begun;

/* The recorder is the control thread's, but a thread in which the process exits
 * asks for its figures as well: it has those of the last turn, and does not
 * wait for a disk. */
static struct {
	pthread_mutex_t lock;
	struct recorder_figures figures;
	char path[PATH_MAX];
	bool runs;
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A futex: whether a thread waits for the end, and whether that has come. */
enum { LEAVE_NOT, LEAVE_ASKED, LEAVE_DONE };
static _Atomic uint32_t leaving;

/* The caches show nothing to the fast path while notes are made. */
static void live_each(void (*each)(const struct mnm_record_event *event))
{
	gate_pass();
	noted_regions(each);
	noted_blocks(each);
	foreign_each(each);
}

/* The program, as the head of a file describes it. */
static char *about_text(void)
{
	json_t *about = about_json(), *pools = json_array();
	char host[HOST_NAME_MAX + 1] = "";
	struct timespec now;
	char *text;

	gethostname(host, sizeof(host) - 1);
	json_array_append_new(pools, json_string("")); /* of number 0 */
	for (const struct pool_row *row = pool_rows; row->name; row++)
		json_array_append_new(pools, json_string(row->name));
	clock_gettime(CLOCK_REALTIME, &now);
	json_object_set_new(
		about, "began",
		json_real((double)now.tv_sec + (double)now.tv_nsec * 1e-9));
	json_object_set_new(about, "host", json_string(host));
	json_object_set_new(about, "version", json_string(MNM_VERSION));
	json_object_set_new(about, "options", options_json());
	json_object_set_new(about, "pools", pools);
	text = json_dumps(about, JSON_COMPACT);
	json_decref(about);
	return text;
}

/* The first device that is in use, or 0. */
static int device_first(void)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i)->used)
			return i;
	return 0;
}

/* Writes the path with %p, %h and %d replaced, absolute. Returns an errno. */
static int path_expand(const char *from, char to[PATH_MAX])
{
	char host[HOST_NAME_MAX + 1] = "", number[16];
	const char *part;
	size_t used = 0;

	gethostname(host, sizeof(host) - 1);
	if (*from != '/' && !getcwd(to, PATH_MAX))
		return errno;
	if (*from != '/' && strlen(to) + 2 > PATH_MAX)
		return ENAMETOOLONG;
	if (*from != '/')
		used = strlen(strcat(to, "/"));
	for (; *from; from++) {
		char letter[2] = {*from};

		part = letter;
		if (*from == '%' && from[1] && strchr("phd", from[1])) {
			part = *++from == 'h' ? host : number;
			snprintf(number, sizeof(number), "%d",
				 *from == 'p' ? (int)getpid() : device_first());
		}
		if (used + strlen(part) >= PATH_MAX)
			return ENAMETOOLONG;
		used += strlen(strcpy(to + used, part));
	}
	return 0;
}

static const char *why_not(int error)
{
	if (error == EEXIST)
		return "what is there is no recording, and is left alone";
	if (error == ELOOP)
		return "a link is there, which is not followed";
	return error == EBUSY ? "another recording is being written there"
			      : strerror(error);
}

static void figures_tell(void)
{
	pthread_mutex_lock(&told.lock);
	told.figures = recorder_figures();
	told.runs = recorder_runs();
	snprintf(told.path, sizeof(told.path), "%s", recorder_path());
	pthread_mutex_unlock(&told.lock);
}

/* Returns 0 or an errno. */
static int begin(const char *path, uint64_t most)
{
	struct recorder_plan plan = {
		.path = path,
		.most = most,
		.live = live_each,
	};
	char *about = about_text();
	int res = ENOMEM;

	plan.about = about;
	if (about)
		res = recorder_begin(&plan);
	if (!res)
		was_begun = true;
	figures_tell();
	free(about);
	if (res) /* it may have begun before it failed */
		gate_pass();
	if (!res)
		log_info("recording to %s", path);
	return res;
}

/* No note is made any more: the fast path is open again. */
static void ended_tell(void)
{
	struct recorder_figures figures = recorder_figures();

	gate_pass();
	if (figures.error)
		log_warn("the recording in %s has ended: %s", recorder_path(),
			 strerror(figures.error));
	else
		log_info("recorded %" PRIu64 " events, %" PRIu64
			 " dropped, in %s",
			 figures.events, figures.dropped, recorder_path());
}

/* Notes how much each device in use holds, if that has changed or was noted
 * long ago: a part of a file that goes may have had the last note of it. */
static void reserved_look(void)
{
	static uint64_t last[DEVICE_HOST + 1], noted;
	uint64_t now = record_clock_ns(), bytes;
	bool due = now - noted >= RESERVED_NS;

	for (int i = 0; i <= DEVICE_HOST; i++) {
		if (!device_at(i)->used)
			continue;
		bytes = counter_get(device_at(i), COUNTER_reserved_bytes);
		if (due || bytes != last[i])
			noted_reserved(device_at(i), bytes);
		last[i] = bytes;
	}
	if (due)
		noted = now;
}

static void end(void)
{
	if (!recorder_runs())
		return;
	reserved_look();
	recorder_end();
	figures_tell();
	ended_tell();
}

void recording_cannot(const char *why)
{
	const struct config *config = config_current();

	if (!*config->record)
		return;
	recorder_forget();
	gate_pass();
	log_warn("nothing is recorded: %s: %s", config->record, why);
}

void recording_open(void)
{
	const struct config *config = config_current();
	char path[PATH_MAX];
	int res;

	if (!*config->record)
		return;
	res = path_expand(config->record, path);
	if (!res)
		res = begin(path, config->record_size);
	if (!res)
		return;
	recording_cannot(why_not(res));
}

int recording_turn_ms(int otherwise)
{
	return recorder_runs() && otherwise > RECORDER_TICK_MS
		       ? RECORDER_TICK_MS
		       : otherwise;
}

static void leave_answer(void)
{
	if (atomic_load(&leaving) != LEAVE_ASKED)
		return;
	end();
	atomic_store(&leaving, LEAVE_DONE);
	syscall(SYS_futex, &leaving, FUTEX_WAKE_PRIVATE, INT_MAX, NULL);
}

void recording_turn(void)
{
	bool ran = recorder_runs();

	/* No lock is taken where nothing is recorded. */
	if (ran) {
		reserved_look();
		recorder_tick();
		figures_tell();
	}
	if (ran && !recorder_runs())
		ended_tell();
	leave_answer();
}

void recording_close(void)
{
	end();
	leave_answer();
}

void recording_leave(void)
{
	struct timespec until;

	if (!record_is_on())
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LEAVE_SECONDS;
	atomic_store(&leaving, LEAVE_ASKED);
	/* A moment, as signals may come again and again. */
	while (atomic_load(&leaving) == LEAVE_ASKED)
		if (syscall(SYS_futex, &leaving, FUTEX_WAIT_BITSET_PRIVATE,
			    LEAVE_ASKED, &until, NULL,
			    FUTEX_BITSET_MATCH_ANY) &&
		    errno == ETIMEDOUT)
			break;
}

void recording_forget(void)
{
	/* The parent's thread may have held it. */
	pthread_mutex_init(&told.lock, NULL);
	told.runs = false;
	recorder_forget();
}

json_t *recording_json(void)
{
	json_t *json;

	if (!was_begun)
		return NULL;
	pthread_mutex_lock(&told.lock);
	json = json_pack("{s:s,s:b,s:I,s:I,s:I}", "file", told.path, "runs",
			 told.runs, "events", (json_int_t)told.figures.events,
			 "dropped", (json_int_t)told.figures.dropped, "bytes",
			 (json_int_t)told.figures.bytes);
	pthread_mutex_unlock(&told.lock);
	return json;
}

static json_t *answer(void)
{
	json_t *json = about_json();

	json_object_set_new(json, "recording", recording_json());
	return json;
}

static json_t *start(struct request *request)
{
	size_t most = config_current()->record_size;
	char path[PATH_MAX];
	int res;

	if (!request->file)
		return fail(request, "start needs a file");
	if (request->size && !file_size_parse(request->size, &most))
		return fail(request,
			    "size '%.40s'; allowed: bytes (K, M, G), 1M and "
			    "more",
			    request->size);
	if (recorder_runs())
		return fail(request, "it is recorded already, to %.200s",
			    recorder_path());
	res = path_expand(request->file, path);
	if (!res)
		res = begin(path, most);
	return res ? fail(request, "%.200s: %s", request->file, why_not(res))
		   : answer();
}

json_t *record_run(struct request *request)
{
	if (!strcmp(request->action, "start"))
		return start(request);
	if (strcmp(request->action, "stop"))
		return fail(request, "'%.40s'; allowed: start, stop",
			    request->action);
	if (request->file || request->size)
		return fail(request, "stop needs no file and no size");
	if (!recorder_runs())
		return fail(request, "it is not recorded");
	end();
	return answer();
}
