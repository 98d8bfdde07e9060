#include "setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "kind.h"

static const char *const levels[] = {"fence", "fence", "fence", "sync"};

/* Entries that fail once. The program itself calls some of them, too. */
static const struct fault faults[] = {
	{"cuMemAlloc_v2", 2, false},     {"cuMemFree_v2", 999, false},
	{"cuCtxRecordEvent", 2, false},  {"cuCtxWaitEvent", 2, false},
	{"cuEventCreate", 2, false},     {"cuCtxRecordEvent", 999, false},
	{"cuCtxSynchronize", 2, false},  {"cuMemCreate", 2, false},
	{"cuMemMap", 999, false},        {"cuMemSetAccess", 2, false},
	{"cuMemAllocManaged", 2, false}, {"cuMemAllocManaged", 801, false},
	{"cuMemAdvise_v2", 999, false}};
static const struct fault ends[] = {
	{"cuCtxDestroy_v2", 999, false},
	{"cuCtxDestroy_v2", 999, true},
	{"cuDevicePrimaryCtxRelease_v2", 999, false},
	{"cuDevicePrimaryCtxRelease_v2", 999, true}};

enum { LAPS_ONE_IN = 16 };

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static void fault_draw(struct setting *setting, struct random *random)
{
	const struct fault *fault =
		&faults[random_below(random, COUNT(faults))];
	char *list = fault->late ? setting->late : setting->fail;
	size_t length = strlen(list);

	setting->faults[setting->fault_count++] = *fault;
	snprintf(list + length, sizeof(setting->fail) - length, "%s%s:%u:%d",
		 length ? "," : "", fault->entry, 1 + random_below(random, 12),
		 fault->code);
}

/* Ends of contexts are rare, so the first or the second one fails. */
static void end_fault_draw(struct setting *setting, struct random *random)
{
	const struct fault *fault = &ends[random_below(random, COUNT(ends))];
	char *list = fault->late ? setting->late : setting->fail;
	size_t length = strlen(list);

	setting->faults[setting->fault_count++] = *fault;
	snprintf(list + length, sizeof(setting->fail) - length, "%s%s:%u:%d",
		 length ? "," : "", fault->entry, 1 + random_below(random, 2),
		 fault->code);
}

/* There is as much memory as the threads of a full program may hold at a
 * time. */
static void setting_be_full(struct setting *setting, struct random *random)
{
	unsigned all = THREADS_MAX * QUOTA_MIB;

	if (random_one_in(random, 2))
		snprintf(setting->sim, sizeof(setting->sim), "%uM", all);
	else
		snprintf(setting->hard_limit, sizeof(setting->hard_limit),
			 "%uM", all);
}

/* Without a quarantine each reuse takes a fence, so most kinds have none. */
static void setting_be(struct setting *setting, enum kind kind,
		       struct random *random)
{
	*setting = (struct setting){.kind = kind,
				    .pool = "page_unit_pool",
				    .level = "fence",
				    .quarantine = "0"};
	if ((kind == CONTEXTS || kind == PINNED || kind == HANDS) &&
	    random_one_in(random, 2))
		*setting->quarantine = '\0';
	/* Lets a thread keep some blocks where a free may have to wait. */
	if ((kind == CONTEXTS || kind == DEVICES) && random_one_in(random, 3))
		snprintf(setting->quarantine, sizeof(setting->quarantine), "%u",
			 1u << (16 + random_below(random, 5)));
	if ((kind == CONTEXTS || kind == DEVICES) && random_one_in(random, 4))
		fault_draw(setting, random);
	if (kind == RENEWALS)
		snprintf(setting->pool_limit, sizeof(setting->pool_limit), "%u",
			 1u << (12 + random_below(random, 12)));
	if (kind == FULL)
		setting_be_full(setting, random);
	if (kind == FAULTY) {
		end_fault_draw(setting, random);
		while (setting->fault_count < FAULTS_MAX)
			fault_draw(setting, random);
		if (random_one_in(random, 2))
			*setting->quarantine = '\0';
	}
}

/* Most programs of laps have the pool that plans. What fails may do so late,
 * when a plan is followed. */
static void setting_be_laps(struct setting *setting, uint64_t seed)
{
	struct random random = random_open(seed, PURPOSE_LAPS);
	static const char *const entries[] = {
		"cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemAlloc_v2"};

	random_next(&random);
	setting->pool = "tstack_pool";
	if (random_one_in(&random, 4))
		setting->pool = choices[choice_draw(&random, false)];
	if (setting->fault_count || !random_one_in(&random, 6))
		return;
	setting->faults[0] =
		(struct fault){entries[random_below(&random, 4)], 2, false};
	setting->fault_count = 1;
	snprintf(setting->fail, sizeof(setting->fail), "%s:%u:2",
		 setting->faults[0].entry, 1 + random_below(&random, 60));
}

/* By numbers of its own, so that the kinds of other seeds stay the same. */
static bool laps_drawn(uint64_t seed)
{
	struct random random = random_open(seed, PURPOSE_LAPS);

	return random_one_in(&random, LAPS_ONE_IN);
}

/* By default a thread keeps all that it frees in such a program, so half of the
 * programs get another limit. */
static void thread_cache_draw(struct setting *setting, struct random *random)
{
	if (random_one_in(random, 2))
		return;
	snprintf(setting->thread_cache, sizeof(setting->thread_cache), "%u",
		 random_one_in(random, 3)
			 ? 0u
			 : 1u << (12 + random_below(random, 10)));
}

static void idle_limit_draw(struct setting *setting, struct random *random)
{
	char *text = setting->idle_limit;
	const size_t size = sizeof(setting->idle_limit);

	if (!random_one_in(random, 6))
		snprintf(text, size, "off");
	else if (random_one_in(random, 2))
		snprintf(text, size, "auto");
	else if (random_one_in(random, 3))
		snprintf(text, size, "%u%%", random_below(random, 100));
	else
		snprintf(text, size, "%u",
			 random_one_in(random, 4)
				 ? 0u
				 : 1u << (12 + random_below(random, 12)));
}

/* Draws from numbers of its own, so that a seed's other choices stay the same.
 * With a giver a trim may give memory back at once. No program lasts as long as
 * the giver's idle time. */
static void idle_draw(struct setting *setting, uint64_t seed)
{
	struct random random = random_open(seed, PURPOSE_IDLE);

	idle_limit_draw(setting, &random);
	setting->giver = random_one_in(&random, 2);
}

/* By their own numbers, too. Most programs have the default, each page a class.
 * Those that may use all of a device's memory count in pages. */
static void classes_draw(struct setting *setting, uint64_t seed)
{
	struct random random = random_open(seed, PURPOSE_CLASSES);

	if (setting->kind != FULL && random_one_in(&random, 4))
		snprintf(setting->classes, sizeof(setting->classes), "%u",
			 1u << random_below(&random, 7));
}

/* By their own numbers, too. Half of the programs have the usual pool, and so
 * do those in which all that is asked for has to fit. */
static void pool_draw(struct setting *setting, uint64_t seed)
{
	struct random random = random_open(seed, PURPOSE_POOLS);

	if (setting->kind != FULL && random_one_in(&random, 2))
		setting->pool = choices[choice_draw(&random, false)];
	if (random_one_in(&random, 4))
		snprintf(setting->garbage, sizeof(setting->garbage), "%u",
			 1 + random_below(&random, 60));
}

void setting_draw(struct setting *setting, uint64_t seed,
		  const struct wish *wish)
{
	struct random random = random_open(seed, PURPOSE_CONFIG);
	enum kind kind;

	setting->pool = choices[0];
	setting->level = levels[random_below(&random, COUNT(levels))];
	if (random_one_in(&random, 5))
		fault_draw(setting, &random);
	if (random_one_in(&random, 8)) {
		setting->tight = true;
		snprintf(setting->sim, sizeof(setting->sim), "%uM",
			 8u << random_below(&random, 3));
	}
	if (random_one_in(&random, 8))
		snprintf(setting->pool_limit, sizeof(setting->pool_limit), "%u",
			 1u << (13 + random_below(&random, 12)));
	if (random_one_in(&random, 2))
		snprintf(setting->quarantine, sizeof(setting->quarantine), "%u",
			 random_one_in(&random, 2)
				 ? 0u
				 : 1u << (12 + random_below(&random, 14)));
	setting->old_driver = random_one_in(&random, 8);
	kind = kind_draw(&random);
	if (wish->kind)
		kind = kind_find(wish->kind);
	else if (wish->pool || wish->level)
		kind = MIXED;
	else if (laps_drawn(seed))
		kind = LAPS;
	setting->kind = kind;
	if (kind != MIXED && kind != LAPS)
		setting_be(setting, kind, &random);
	thread_cache_draw(setting, &random);
	idle_draw(setting, seed);
	classes_draw(setting, seed);
	pool_draw(setting, seed);
	if (kind == LAPS)
		setting_be_laps(setting, seed);
	if (wish->pool)
		setting->pool = wish->pool;
	if (wish->level)
		setting->level = wish->level;
	setting->level_fixed = wish->level;
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
	setenv("MNM_CHECK_POOLS", seed % 2 ? "1" : "0", 1);
	variable_set("MNM_SIM", setting->sim);
	variable_set("MNM_SIM_FAIL", setting->fail);
	variable_set("MNM_SIM_LATE", setting->late);
	variable_set("MNM_SIM_DRIVER", setting->old_driver ? "12040" : "");
	variable_set("MNM_POOL_LIMIT", setting->pool_limit);
	variable_set("MNM_HARD_LIMIT", setting->hard_limit);
	variable_set("MNM_QUARANTINE", setting->quarantine);
	variable_set("MNM_THREAD_CACHE", setting->thread_cache);
	variable_set("MNM_IDLE_LIMIT", setting->idle_limit);
	variable_set("MNM_SIZE_CLASSES", setting->classes);
	variable_set("MNM_GARBAGE_THRESHOLD", setting->garbage);
	setenv("MNM_STREAM_ORDERED", "1", 1);
	setenv("MNM_PLAN_THREAD", "0", 1); /* else it would not follow a seed */
	setenv("MNM_DEVICE_IDLE", setting->giver ? "3600" : "0", 1);
}

void setting_print(const struct setting *setting)
{
	printf("%s, pool %s level %s", kind_name(setting->kind), setting->pool,
	       setting->level);
	if (*setting->sim)
		printf(" memory %s", setting->sim);
	if (*setting->fail)
		printf(" failing %s", setting->fail);
	if (*setting->late)
		printf(" failing late %s", setting->late);
	if (*setting->pool_limit)
		printf(" limit %s", setting->pool_limit);
	if (*setting->hard_limit)
		printf(" hard limit %s", setting->hard_limit);
	if (*setting->quarantine)
		printf(" quarantine %s", setting->quarantine);
	if (*setting->thread_cache)
		printf(" thread cache %s", setting->thread_cache);
	if (strcmp(setting->idle_limit, "off"))
		printf(" idle limit %s", setting->idle_limit);
	if (*setting->classes)
		printf(" classes %s", setting->classes);
	if (*setting->garbage)
		printf(" garbage threshold %s", setting->garbage);
	if (setting->giver)
		printf(" giver");
	printf("%s\n", setting->old_driver ? " driver 12.4" : "");
}
