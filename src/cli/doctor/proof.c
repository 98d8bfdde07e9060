/* Shows by some calls whether calls are served here. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>

#include "../install_path.h"
#include "../preload.h"
#include "check.h"
#include "child.h"
#include "probe.h"

enum { LIMIT_MS = 20000, EVENTS_SINCE = 12050 };

/* What the probe told; NULL for what it did not tell. */
struct facts {
#define FACT(name) char *name;
	FACT_LIST
#undef FACT
};

static void facts_read(struct facts *facts, const char *text)
{
#define FACT(name) facts->name = line_find(text, #name " ");
	FACT_LIST
#undef FACT
}

static void facts_free(struct facts *facts)
{
#define FACT(name) free(facts->name);
	FACT_LIST
#undef FACT
}

static int number(const char *text)
{
	return text ? atoi(text) : 0;
}

static bool is_no(const char *text)
{
	return text && !strcmp(text, "0");
}

/* The last fact before a crash or hang. */
static const char *last_fact(const struct facts *facts)
{
	const char *last = "its start";

#define FACT(name) last = facts->name ? #name : last;
	FACT_LIST
#undef FACT
	return last;
}

/* Returns false if the probe did not come to its end. */
static bool end_report(struct report *report, const struct child *child,
		       const struct facts *facts)
{
	const char *advice = "run `mnm doctor --probe` under LD_PRELOAD by "
			     "hand and with gdb; MNM_DISABLE=1 keeps mnm out";
	char *why = line_find(child->text, "ERROR: ld.so: ");

	if (child->late)
		report_add(report, LEVEL_PROBLEM, "proof", advice,
			   "the probe hung after '%s'", last_fact(facts));
	else if (WIFSIGNALED(child->status))
		report_add(report, LEVEL_PROBLEM, "proof", advice,
			   "signal %d ended the probe after '%s'",
			   WTERMSIG(child->status), last_fact(facts));
	else if (WEXITSTATUS(child->status))
		report_add(report, LEVEL_PROBLEM, "proof", advice,
			   "the probe failed: %.*s",
			   (int)strcspn(child->text, "\n"), child->text);
	else if (!facts->library)
		report_add(report, LEVEL_PROBLEM, "proof",
			   "build mnm on this system, for its glibc",
			   "the loader did not preload libmnm.so: %s",
			   why ? why : "it says nothing");
	free(why);
	return !child->late && !child->status && facts->library;
}

static bool device_files(void)
{
	/* On a desktop or server, in WSL, on a Jetson. */
	return !access("/dev/nvidiactl", F_OK) || !access("/dev/dxg", F_OK) ||
	       !access("/dev/nvmap", F_OK);
}

static void driver_report(struct report *report, const struct facts *facts)
{
	int version = number(facts->driver_version);
	bool old = version < EVENTS_SINCE;

	if (facts->no_driver) {
		report_add(report, LEVEL_WARNING, "driver",
			   "install NVIDIA's driver, or start the container "
			   "with its GPUs; `mnm run --sim -- PROGRAM` "
			   "simulates one",
			   "no CUDA driver: %s", facts->no_driver);
		report_add(report, LEVEL_OK, "proof", NULL,
			   "the loader preloads libmnm.so; there is no driver "
			   "to show more with");
		return;
	}
	if (!version)
		report_add(report, LEVEL_WARNING, "driver", NULL,
			   "%s does not tell its version", facts->driver);
	else
		report_add(report, old ? LEVEL_WARNING : LEVEL_OK, "driver",
			   old ? "one for CUDA 12.5 or later has the events "
				 "of contexts; with this one the host waits, "
				 "and cudaMallocAsync is left to CUDA"
			       : NULL,
			   "%s, %sfor CUDA %d.%d", facts->driver,
			   facts->simulated ? "simulated, " : "",
			   version / 1000, version % 1000 / 10);
	if (version > CUDA_VERSION)
		report_add(report, LEVEL_OK, "driver", NULL,
			   "it is newer than the headers that mnm was built "
			   "with (%d.%d): programs of one stream get fences, "
			   "too",
			   CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
	if (!facts->simulated && !device_files())
		report_add(report, LEVEL_WARNING, "driver",
			   "start the container with its GPUs "
			   "(docker run --gpus all)",
			   "its library is here, but no /dev/nvidiactl");
}

/* Returns false if calls don't reach mnm. */
static bool entry_points_report(struct report *report,
				const struct facts *facts)
{
	const char *entry_point = is_no(facts->by_dlsym)   ? "dlsym"
				  : is_no(facts->by_table) ? "cuGetProcAddress"
				  : is_no(facts->by_runtime) ? facts->runtime
							     : NULL;

	if (entry_point)
		report_add(report, LEVEL_PROBLEM, "proof",
			   "look at the findings above: options and other "
			   "preloads",
			   "%s answers with CUDA's own entries: nothing is "
			   "served",
			   entry_point);
	return !entry_point;
}

static void served_report(struct report *report, const struct facts *facts)
{
	int asked = number(facts->asked) + number(facts->runtime_asked);
	int served = number(facts->served);
	const char *runtime = facts->runtime_error ? NULL : facts->runtime;

	if (facts->no_socket)
		report_add(report, LEVEL_PROBLEM, "proof",
			   "`mnm ps` and `mnm swap` need it; look at the "
			   "finding of the sockets",
			   "the probe's control socket does not answer: %s",
			   facts->no_socket);
	else
		report_add(report, served < asked ? LEVEL_PROBLEM : LEVEL_OK,
			   "proof",
			   served < asked ? "please report this" : NULL,
			   "interception %s here: %d requests, %d served "
			   "(driver%s%s)",
			   served < asked ? "is incomplete" : "works", asked,
			   served, runtime ? ", " : "", runtime ? runtime : "");
}

static void ordered_report(struct report *report, const struct facts *facts)
{
	int asked = number(facts->ordered_asked);
	int served = number(facts->ordered_served);

	if (facts->ordered_error)
		report_add(report, LEVEL_WARNING, "proof",
			   "801: the device has no memory pools; others: try "
			   "it without mnm",
			   "cudaMallocAsync fails with CUDA's error %s",
			   facts->ordered_error);
	else if (facts->ordered_served)
		report_add(report, served < asked ? LEVEL_WARNING : LEVEL_OK,
			   "proof",
			   served < asked ? "CUDA's own pools serve it with "
					    "MNM_STREAM_ORDERED=0, with "
					    "no_pool, and with a driver before "
					    "CUDA 12.5"
					  : NULL,
			   "cudaMallocAsync: %d requests, %d served", asked,
			   served);
}

static void requests_report(struct report *report, const struct facts *facts)
{
	if (facts->init_error)
		report_add(report, LEVEL_PROBLEM, "proof",
			   "34: LD_LIBRARY_PATH has the toolkit's stubs; "
			   "others: see nvidia-smi, CUDA_VISIBLE_DEVICES",
			   "no context on the first device: CUDA's error %s",
			   facts->init_error);
	else if (facts->refused)
		report_add(report, LEVEL_PROBLEM, "proof",
			   "2: the device is full, or MNM_HARD_LIMIT is less; "
			   "others: please report this",
			   "the driver refused 1 MiB: CUDA's error %s",
			   facts->refused);
	else
		served_report(report, facts);
	ordered_report(report, facts);
	if (facts->runtime_error)
		report_add(report, LEVEL_WARNING, "proof",
			   "35: it is too new for the driver; 801: NVIDIA's "
			   "own does not start on the simulated driver; "
			   "others: try it without mnm",
			   "%s: cudaMalloc fails with CUDA's error %s",
			   facts->runtime, facts->runtime_error);
}

/* The list that `mnm run` would preload, or NULL if mnm is in it already. */
static char *preload_make(const char *library)
{
	const char *before = getenv("LD_PRELOAD");

	return before && strstr(before, "libmnm.so")
		       ? NULL
		       : preload_list(library, before);
}

void proof_check(struct report *report)
{
	char self[] = "/proc/self/exe", word[] = "doctor", how[] = "--probe";
	char *argv[] = {self, word, how, NULL};
	char library[PATH_MAX], *preload;
	struct facts facts;
	struct child child;

	if (!install_path_find("libmnm.so", library))
		return;
	/* The probe must not overwrite what a program writes as it ends, or as
	 * memory runs out. */
	unsetenv("MNM_STAT_FILE");
	setenv("MNM_POSTMORTEM", "off", 1);
	preload = preload_make(library);
	if (!child_run(&child, argv, "LD_PRELOAD", preload, LIMIT_MS)) {
		report_add(report, LEVEL_PROBLEM, "proof", NULL,
			   "the probe can't be started: %s", strerror(errno));
		free(preload);
		return;
	}
	facts_read(&facts, child.text);
	if (end_report(report, &child, &facts)) {
		driver_report(report, &facts);
		if (!facts.no_driver && entry_points_report(report, &facts))
			requests_report(report, &facts);
	}
	facts_free(&facts);
	free(child.text);
	free(preload);
}
