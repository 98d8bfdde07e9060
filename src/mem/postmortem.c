#include "postmortem.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "common/pool_choice.h"
#include "common/version.h"
#include "config.h"
#include "context/context.h"
#include "context/context_current.h"
#include "cuda/backing.h"
#include "heap/limit.h"
#include "heap/pools.h"
#include "order/capture.h"
#include "order/fence.h"
#include "postmortem_live.h"
#include "postmortem_stack.h"
#include "postmortem_text.h"
#include "preload/syscall_filter.h"
#include "record/awaited.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "stats/counter.h"

/* A program may go on after a failure, as it empties a cache or asks for less.
 * The last of so many tells why it ended. */
enum { WRITTEN_MOST = 8 };

/* What the driver says is free; no document says that a capture allows this
 * question. */
static bool free_ask(struct device *device, size_t *bytes)
{
	const struct context *context = context_current();

	return context && context->device == device && !capture_any() &&
	       !device_check(device, backing_free_bytes(bytes));
}

static void figures_put(const uint64_t values[COUNTER_MAX])
{
	postmortem_put(",\"figures\":{");
#define COUNTER(name, kind, unit, help) \
	postmortem_put("%s\"" #name "\":%" PRIu64, COUNTER_##name ? "," : "", \
		       values[COUNTER_##name]);
	COUNTER_LIST
#undef COUNTER
	postmortem_put("}");
}

static void device_put(struct device *device, size_t asked)
{
	uint64_t values[COUNTER_MAX], beside, room = limit_get(LIMIT_HARD);
	size_t total = 0, available = 0;
	bool host = device_is_host(device);
	bool known = !host && free_ask(device, &available);

	counters_get(device, values);
	if (!host && backing_device_bytes(device_ordinal(device), &total))
		total = 0;
	postmortem_put_text("pool",
			    pool_choice_name(device_choice_serving(device)));
	postmortem_put(",\"total\":%zu,\"free\":", total);
	postmortem_put(known ? "%zu" : "null", available);
	figures_put(values);
	postmortem_put_live(device, asked);
	if (host)
		return;
	beside = values[COUNTER_device_bytes] - values[COUNTER_reserved_bytes];
	if (known && (!room || values[COUNTER_device_bytes] + available < room))
		room = values[COUNTER_device_bytes] + available;
	postmortem_put_estimates(beside, room);
}

/* What is recorded later than that time lived later. */
static void recording_put(uint64_t time)
{
	postmortem_put_text("recording", recorder_path());
	postmortem_put(",\"recording_id\":\"%016" PRIx64
		       "\",\"recording_time\":%" PRIu64,
		       recorder_id(), time);
}

static void text_make(struct device *device, size_t asked, bool by_limit,
		      bool recorded)
{
	uint64_t recording_time = recorder_now();
	struct timespec now;

	if (asked > INT64_MAX) /* JSON has no more */
		asked = INT64_MAX;
	clock_gettime(CLOCK_REALTIME, &now);
	postmortem_put("{\"mnm_postmortem\":1,\"pid\":%d,\"thread\":%ld,"
		       "\"time\":%lld",
		       (int)getpid(), (long)syscall(SYS_gettid),
		       (long long)now.tv_sec);
	postmortem_put_text("program", program_invocation_short_name);
	postmortem_put_text("version", MNM_VERSION);
	postmortem_put(",\"asked\":%zu,\"refused_by\":\"%s\","
		       "\"hard_limit\":%zu",
		       asked, by_limit ? "hard_limit" : "driver",
		       limit_get(LIMIT_HARD));
	if (device_is_host(device))
		postmortem_put(",\"device\":\"host\"");
	else
		postmortem_put(",\"device\":%d", device_ordinal(device));
	if (recorded)
		recording_put(recording_time);
	postmortem_put_stack();
	device_put(device, asked);
	postmortem_put("}\n");
}

static void write_one(struct device *device, size_t asked, bool by_limit)
{
	static char path[PATH_MAX]; /* a thread's stack may be small */
	static bool said;
	bool recorded = record_is_on() && *recorder_path();
	const char *text;
	size_t length;

	postmortem_text_begin();
	text_make(device, asked, by_limit, recorded);
	text = postmortem_text(&length);
	if (postmortem_save(text, length, path, sizeof(path)) && !said) {
		log_error("what there was then: mnm report %s", path);
		said = true;
	}
	/* The program may be about to end at once. */
	if (recorded)
		awaited_ask();
}

/* A thread may be cancelled where it opens, reads or writes a file. */
void postmortem_write(struct device *device, size_t asked, bool by_limit)
{
	static _Atomic bool writes;
	static unsigned int written; /* by those who write */
	int cancel = PTHREAD_CANCEL_ENABLE, saved = errno;

	/* A filter may kill for the calls that make a file. */
	if (!strcmp(config_current()->postmortem, "off") ||
	    syscall_filter_is_own() || syscall_filter_kills_socket() ||
	    atomic_exchange(&writes, true))
		return;
	if (written < WRITTEN_MOST) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		written++;
		write_one(device, asked, by_limit);
		pthread_setcancelstate(cancel, NULL);
	}
	atomic_store(&writes, false);
	errno = saved;
}
