#include <cuda.h>

#include "call.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "fault.h"
#include "entries.h"
#include "missing.h"
#include "names.h"
#include "report.h"
#include "tally.h"
#include "thread.h"
#include "world.h"

enum { NO_LOG = -1 };

static int log_fd = NO_LOG;
static bool faults_on;

static void log_write(const char *line, int len)
{
	if (write(log_fd, line, len) != len)
		log_fd = NO_LOG; /* a full disk must not stop the program */
}

void call_log(const char *name, CUresult res)
{
	char line[160];

	if (log_fd != NO_LOG)
		log_write(line, snprintf(line, sizeof(line), "%ld %s %d\n",
					 (long)syscall(SYS_gettid), name, res));
}

static CUresult log_call(unsigned id, CUresult res)
{
	call_log(call_names[id].name, res);
	return res;
}

void call_log_run(unsigned long long stream, unsigned long place)
{
	char line[96];

	if (log_fd != NO_LOG)
		log_write(line,
			  snprintf(line, sizeof(line), "%ld run %llu %lu\n",
				   (long)syscall(SYS_gettid), stream, place));
}

static CUresult count_call(unsigned id)
{
	unsigned long nth = 0;
	CUresult res;

	if (faults_on)
		nth = tally_number(id);
	else
		tally_add(id);
	if (call_names[id].version > world.driver_version)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!faults_on)
		return fault_lost(id);
	self.late = fault_find_late(id, nth);
	if (fault_hides(id))
		return CUDA_ERROR_NOT_SUPPORTED;
	res = fault_find(id, nth);
	return res ? res : fault_lost(id);
}

void call_lose(CUresult code)
{
	pthread_mutex_lock(&world.lock);
	fault_lose(code);
	world_busy(); /* no call is quick any more */
	__atomic_store_n(&world.quick, false, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&world.lock);
}

bool call_unseen(void)
{
	return !faults_on && log_fd == NO_LOG &&
	       world.driver_version >= CUDA_VERSION;
}

CUresult call_enter(unsigned id, int per_thread)
{
	CUresult res;

	if (!__atomic_load_n(&world.ready, __ATOMIC_ACQUIRE))
		return CUDA_ERROR_NOT_INITIALIZED;
	if (self.worker)
		return CUDA_ERROR_NOT_PERMITTED;
	res = count_call(id);
	if (res)
		return res;
	pthread_mutex_lock(&world.lock);
	if (faults_on)
		res = fault_short(id);
	if (res) {
		pthread_mutex_unlock(&world.lock);
		return res;
	}
	if (!self.started)
		clock_start();
	if (world.seed.on)
		seed_step();
	self.per_thread = per_thread;
	self.call = call_names[id].name;
	clock_spend(world.profile.call_ns);
	return CUDA_SUCCESS;
}

CUresult call_leave(unsigned id, CUresult res)
{
	pthread_mutex_unlock(&world.lock);
	if (!res && self.late)
		res = self.late;
	return log_call(id, res ? res : fault_lost(id));
}

CUresult call_refuse(unsigned id, CUresult res)
{
	return log_call(id, res);
}

CUresult call_missing(unsigned id)
{
	CUresult res = count_call(id);

	pthread_mutex_lock(&world.lock);
	if (!res && world.ready)
		res = fault_short(id);
	missing_count(call_names[id].name);
	pthread_mutex_unlock(&world.lock);
	return log_call(id, res ? res : CUDA_ERROR_NOT_SUPPORTED);
}

CUresult call_enter_early(unsigned id)
{
	return count_call(id);
}

CUresult call_leave_early(unsigned id, CUresult res)
{
	return log_call(id, res);
}

/* A constructor: faults and the log also cover calls before cuInit. */
__attribute__((constructor)) static void call_open(void)
{
	const char *path = getenv("MNM_SIM_LOG");
	const char *version = getenv("MNM_SIM_DRIVER");

	world.driver_version = CUDA_VERSION;
	if (version && atoi(version) > 0)
		world.driver_version = atoi(version);
	fault_open();
	faults_on = fault_any();
	if (!path || !*path)
		return;
	log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (log_fd < 0)
		fprintf(stderr, "mnm-sim: MNM_SIM_LOG: cannot open %s: %m\n",
			path);
}

__attribute__((destructor)) static void call_close(void)
{
	const char *path = getenv("MNM_SIM_REPORT");

	if (path && *path && world.ready)
		report_write(path);
}
