/* Whether the library serves, and what it was told. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "bound.h"
#include "cache.h"
#include "config.h"
#include "context.h"
#include "fence.h"
#include "limit.h"
#include "log.h"
#include "mem.h"
#include "thread.h"

enum { STATE_UNKNOWN, STATE_ON, STATE_OFF };

static _Atomic int state;
static struct config config;

bool mem_enabled(void)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);
	const char *disable;

	if (now == STATE_UNKNOWN) {
		disable = secure_getenv("MNM_DISABLE");
		/* A setuid program has rights that its user has not. */
		now = getauxval(AT_SECURE) || (disable && !strcmp(disable, "1"))
			      ? STATE_OFF
			      : STATE_ON;
		atomic_store(&state, now);
	}
	return now == STATE_ON;
}

static void child_forget(void)
{
	cache_unsure();
	atomic_store(&state, STATE_OFF);
}

static void guard_fork(void)
{
	pthread_atfork(NULL, NULL, child_forget);
}

void mem_guard_fork(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, guard_fork);
}

static void read_config(void)
{
	char error[OPTION_ERROR_SIZE];

	config_init(&config);
	if (!config_read(&config, error)) {
		log_error("%s; every call goes to CUDA untouched", error);
		atomic_store(&state, STATE_OFF);
		return;
	}
	log_level_set(config.log);
	fence_level_set(config.fence);
	fence_quarantine_set(config.quarantine);
	limit_set(LIMIT_POOL, config.pool_limit);
	limit_set(LIMIT_HARD, config.hard_limit);
	limit_set(LIMIT_HOST, config.host_limit);
	bound_set(&config.idle_limit);
	for (int i = 0; i < DEVICE_ALL; i++)
		device_at(i)->choice = config.pool[i];
	caches_open();
}

const struct config *config_current(void)
{
	return &config;
}

bool config_once(void)
{
	static struct once once = ONCE_INIT;

	if (!mem_enabled())
		return false;
	once_run(&once, read_config);
	return mem_enabled();
}
