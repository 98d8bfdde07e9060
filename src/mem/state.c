#include <errno.h>
#include <stdlib.h>

#include "heap/idle_limit.h"
#include "checked/checked.h"
#include "common/pool_list.h"
#include "tcache/tcache.h"
#include "config.h"
#include "iteration.h"
#include "live_options.h"
#include "mem.h"
#include "observers.h"
#include "plugins.h"
#include "context/context.h"
#include "heap/planner.h"
#include "heap/pools.h"
#include "heap/swap.h"
#include "common/log.h"
#include "common/option_alias.h"
#include "cuda/backing.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "record/recorder.h"
#include "record/ring.h"

/* The first version that has events of whole contexts. */
enum { CUDA_12_5 = 12050 };

static struct config config;

static const struct tcache_source pools = {
	.free_batch = pools_free_batch,
	.alloc_batch = pools_alloc_batch,
	.idle_most = idle_limit_idle_most,
	.lease = idle_limit_lease,
};

/* A wrong value of another program's variable is no reason to leave all calls
 * to CUDA. */
static void alias_read(const struct option_alias *alias)
{
	char error[OPTION_ERROR_SIZE], value[256];
	const struct option_row *row = option_find(alias->option);

	switch (alias_apply(alias, &config, error)) {
	case ALIAS_SETS:
		config_text(&config, row, value, sizeof(value));
		log_info("%s sets %s=%s", alias->variable, row->name, value);
		break;
	case ALIAS_YIELDS:
		log_info("%s has no effect: %s has a value of its own",
			 alias->variable, row->name);
		break;
	case ALIAS_WRONG:
		log_warn("%s has no effect: %s", alias->variable, error);
		break;
	case ALIAS_UNSET:
		break;
	}
}

/* Runs as the process exits, before the destructors that plug-ins registered as
 * they were opened: what the program does after that must not use what these
 * have ended. */
static void plugins_end(void)
{
	for (int i = 0; pool_rows[i].name; i++)
		if (pool_rows[i].file)
			checked_end(pool_ops_at(i));
}

/* Those of plug-ins always are checked. Without memory for that, the default
 * pool serves in place of one. */
static void pools_check(void)
{
	const struct mnm_pool_ops *ops, *inner;
	int other = pool_row_find(POOL_DEFAULT);
	bool plugged = false;

	for (int i = 0; pool_rows[i].name; i++) {
		if (!pool_rows[i].file && !config.check_pools)
			continue;
		pool_calls_watch();
		inner = pool_rows[i].file ? pool_rows[i].ops : pool_ops_at(i);
		ops = checked_ops(inner);
		pool_ops_set(i, ops ? ops : pool_ops_at(other));
		plugged |= pool_rows[i].file != NULL;
	}
	if (plugged)
		atexit(plugins_end);
}

static void read_config(void)
{
	char error[OPTION_ERROR_SIZE];

	record_switch(false);
	mem_plugins_add();
	config_init(&config);
	if (!config_read(&config, error)) {
		mem_plugins_say();
		log_error("%s; every call goes to CUDA untouched", error);
		serving_end();
		return;
	}
	log_level_set(config.log);
	mem_plugins_say();
	for (const struct option_alias *at = option_aliases; at->variable; at++)
		alias_read(at);
	pools_check();
	live_options_apply(&config);
	for (int i = 0; i < DEVICE_ALL; i++)
		device_at(i)->choice =
			device_choice(device_at(i), config.pool[i]);
	mem_exports_expect();
	planner_threads_set(config.plan_thread);
	iterations_open(config.iteration);
	planner_source_set(config.plan);
	if (*config.record)
		recorder_expect();
	tcaches_room_set(config.thread_cache);
	tcaches_open(&pools);
}

bool mem_enabled(void)
{
	static _Atomic bool told;

	if (!atomic_load_explicit(&told, memory_order_acquire)) {
		observers_tell();
		serving_child_calls(tcache_invalidate);
		atomic_store(&told, true);
	}
	return serving_is_on();
}

const struct config *config_current(void)
{
	return &config;
}

static struct once config_read_once = ONCE_INIT;

static bool config_begin(void)
{
	int saved = errno; /* the program's: its call did not fail */
	bool may = mem_enabled() && mem_plugins_open();

	if (may) {
		once_run(&config_read_once, read_config);
		mem_plugins_drop();
	}
	errno = saved;
	return may;
}

bool config_once(void)
{
	if (!atomic_load_explicit(&config_read_once.done,
				  memory_order_acquire) &&
	    !config_begin())
		return false;
	return mem_enabled();
}

static bool driver_tells; /* whether there is work */

static void driver_look(void)
{
	driver_tells = backing_is_since(CUDA_12_5) && backing_has_fences();
}

static void driver_say(void)
{
	log_warn("stream_ordered: the driver is older than CUDA 12.5, so its "
		 "own pools serve");
}

/* Without events of whole contexts nobody can ask whether there is work. So no
 * idle memory would ever go back for a request that may not wait. */
bool mem_serves_streams(void)
{
	static struct once looked = ONCE_INIT;

	if (!config_once() || !config.stream_ordered)
		return false;
	once_run(&looked, driver_look);
	return driver_tells;
}

void mem_streams_passed(void)
{
	static struct once said = ONCE_INIT;

	if (config_once() && config.stream_ordered && !mem_serves_streams())
		once_run(&said, driver_say);
}
