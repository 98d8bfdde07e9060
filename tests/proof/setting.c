#include "setting.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../include/pool_list.h"

static const char *const pools[] = {
#define POOL(name, summary) #name,
	POOL_LIST
#undef POOL
};
static const char *const levels[] = {"fence", "fence", "fence", "sync"};

/* Entries that fail once; the first is the program's own call, too. */
static const struct {
	const char *entry;
	int code;
} faults[] = {{"cuMemAlloc_v2", 2},    {"cuMemFree_v2", 999},
	      {"cuCtxRecordEvent", 2}, {"cuCtxWaitEvent", 2},
	      {"cuEventCreate", 2},    {"cuCtxRecordEvent", 999},
	      {"cuCtxSynchronize", 2}};

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static void fault_draw(struct setting *setting, struct random *random)
{
	unsigned row = random_below(random, COUNT(faults));
	unsigned nth = 1 + random_below(random, 12);

	setting->failing = faults[row].entry;
	setting->failing_code = faults[row].code;
	snprintf(setting->fail, sizeof(setting->fail), "%s:%u:%d",
		 setting->failing, nth, setting->failing_code);
}

/* Each reuse takes a fence. */
static void setting_be_dense(struct setting *setting)
{
	*setting = (struct setting){.dense = true,
				    .pool = "page_unit_pool",
				    .level = "fence",
				    .failing = "",
				    .quarantine = "0"};
}

void setting_draw(struct setting *setting, uint64_t seed, const char *pool,
		  const char *level)
{
	struct random random = random_open(seed, PURPOSE_CONFIG);

	setting->pool = random_one_in(&random, 8)
				? pools[random_below(&random, COUNT(pools))]
				: pools[0];
	setting->level = levels[random_below(&random, COUNT(levels))];
	if (pool)
		setting->pool = pool;
	if (level)
		setting->level = level;
	setting->level_fixed = level;
	setting->failing = "";
	if (random_one_in(&random, 5))
		fault_draw(setting, &random);
	if (random_one_in(&random, 8)) {
		setting->tight = true;
		snprintf(setting->sim, sizeof(setting->sim), "%uM",
			 8 << random_below(&random, 3));
	}
	if (random_one_in(&random, 8))
		snprintf(setting->pool_limit, sizeof(setting->pool_limit), "%u",
			 1 << (13 + random_below(&random, 12)));
	if (random_one_in(&random, 2))
		snprintf(setting->quarantine, sizeof(setting->quarantine), "%u",
			 random_one_in(&random, 2)
				 ? 0
				 : 1 << (12 + random_below(&random, 14)));
	setting->old_driver = random_one_in(&random, 8);
	if (!pool && !level && random_one_in(&random, 3))
		setting_be_dense(setting);
}

static void variable_set(const char *name, const char *value)
{
	if (*value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

void setting_apply(const struct setting *setting, uint64_t seed, int devices)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	setenv("MNM_SIM_SEED", text, 1);
	setenv("MNM_SIM_CHECK", "1", 1);
	setenv("MNM_SIM_CLOCK", "zero", 1);
	snprintf(text, sizeof(text), "%d", devices);
	setenv("MNM_SIM_DEVICES", text, 1);
	setenv("MNM_POOL", setting->pool, 1);
	setenv("MNM_FENCE", setting->level, 1);
	setenv("MNM_FORCE", "1", 1);
	variable_set("MNM_SIM", setting->sim);
	variable_set("MNM_SIM_FAIL", setting->fail);
	variable_set("MNM_SIM_DRIVER", setting->old_driver ? "12040" : "");
	variable_set("MNM_POOL_LIMIT", setting->pool_limit);
	variable_set("MNM_QUARANTINE", setting->quarantine);
}

void setting_print(const struct setting *setting)
{
	printf("pool %s level %s", setting->pool, setting->level);
	if (*setting->sim)
		printf(" memory %s", setting->sim);
	if (*setting->fail)
		printf(" failing %s", setting->fail);
	if (*setting->pool_limit)
		printf(" limit %s", setting->pool_limit);
	if (*setting->quarantine)
		printf(" quarantine %s", setting->quarantine);
	printf("%s\n", setting->old_driver ? " driver 12.4" : "");
}
