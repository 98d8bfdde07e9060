/* Variables of the environment: ours, and those of programs that allocate. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../frameworks.h"
#include "check.h"
#include "common/option_alias.h"
#include "common/pool_choice.h"

/* Whether "NAME=value" is a variable of ours, or of the simulated device. */
static bool name_known(const char *pair)
{
	char variable[64];
	size_t length;

	if (!strncmp(pair, "MNM_SIM=", 8) || !strncmp(pair, "MNM_SIM_", 8) ||
	    !strncmp(pair, NVTX_BEHIND "=", strlen(NVTX_BEHIND "=")))
		return true;
	for (const struct option_row *row = option_rows; row->name; row++) {
		option_variable(row, variable, sizeof(variable));
		length = strlen(variable);
		if (!strncmp(pair, variable, length) && pair[length] == '=')
			return true;
	}
	return false;
}

static bool names_check(struct report *report)
{
	bool all_known = true;

	for (char **pair = environ; *pair; pair++) {
		if (strncmp(*pair, "MNM_", 4) || name_known(*pair))
			continue;
		all_known = false;
		report_add(report, LEVEL_WARNING, "options",
			   "`mnm run --help` lists the options",
			   "%.*s is not one of mnm's and has no effect",
			   (int)strcspn(*pair, "="), *pair);
	}
	return all_known;
}

static void alias_report(struct report *report,
			 const struct option_alias *alias,
			 struct config *config)
{
	char error[OPTION_ERROR_SIZE], value[256];
	const struct option_row *row = option_find(alias->option);
	enum alias_effect effect = alias_apply(alias, config, error);
	bool serves_nothing;

	config_text(config, row, value, sizeof(value));
	serves_nothing = !strcmp(alias->option, "pool") &&
			 !strncmp(value, "no_pool", strlen("no_pool"));
	if (effect == ALIAS_WRONG)
		report_add(report, LEVEL_WARNING, "options",
			   "unset it or set what is allowed",
			   "%s has no effect: %s", alias->variable, error);
	else if (effect == ALIAS_YIELDS)
		report_add(report, LEVEL_OK, "options", NULL,
			   "%s has no effect: %s has a value of its own",
			   alias->variable, row->name);
	else if (effect == ALIAS_SETS && serves_nothing)
		report_add(report, LEVEL_WARNING, "options",
			   "set MNM_POOL as well if mnm is to serve what MXNet "
			   "then asks CUDA for",
			   "%s sets %s=%s, which keeps nothing",
			   alias->variable, row->name, value);
	else if (effect == ALIAS_SETS)
		report_add(report, LEVEL_OK, "options", NULL, "%s sets %s=%s",
			   alias->variable, row->name, value);
}

static void aliases_check(struct report *report)
{
	struct config config;

	config_init(&config);
	for (const struct option_alias *at = option_aliases; at->variable; at++)
		alias_report(report, at, &config);
}

/* Whether a device's regions are made so. */
static bool is_backed(const struct config *config, enum mnm_backing backing)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (pool_choice_backing(config->pool[i]) == backing)
			return true;
	return false;
}

static void handle_report(struct report *report, const struct config *config,
			  enum mnm_backing backing, const char *word)
{
	char pools[256];

	if (!is_backed(config, backing))
		return;
	config_text(config, option_find("pool"), pools, sizeof(pools));
	report_add(
		report, LEVEL_OK, "options",
		"MNM_POOL=page_unit_pool for a program that exports memory by "
		"a library",
		"%s: there is no IPC handle for %s memory: a program's first "
		"cudaIpcGetMemHandle fails, and page_unit_pool serves from "
		"then on, or from the start if the program's own file has "
		"that call",
		pools, word);
}

void options_check(struct report *report)
{
	const char *advice = "unset it or set what is allowed; until then "
			     "every call goes to CUDA";
	bool right = names_check(report);
	char error[OPTION_ERROR_SIZE], variable[64];
	struct config config;
	const char *value;

	config_init(&config);
	for (const struct option_row *row = option_rows; row->name; row++) {
		option_variable(row, variable, sizeof(variable));
		value = getenv(variable);
		if (!value || !*value ||
		    config_set(&config, row->name, value, error))
			continue;
		right = false;
		report_add(report, LEVEL_PROBLEM, "options", advice, "%s: %s",
			   variable, error);
	}
	if (!config_check(&config, error)) {
		right = false;
		report_add(report, LEVEL_PROBLEM, "options", advice, "%s",
			   error);
	}
	if (!plan_check(report, config.plan))
		right = false;
	if (config.disable) {
		right = false;
		report_add(report, LEVEL_PROBLEM, "options",
			   "unset MNM_DISABLE",
			   "MNM_DISABLE=1 keeps mnm out of every program");
	}
	if (right)
		report_add(report, LEVEL_OK, "options", NULL,
			   "every MNM_ variable is right");
	handle_report(report, &config, MNM_BACKING_VIRTUAL, "virtual");
	handle_report(report, &config, MNM_BACKING_MANAGED, "managed");
	aliases_check(report);
}

#define EXPANDABLE "expandable_segments:True"

/* What it means if the environment's `variable` holds `part`. */
static const struct variable {
	const char *variable, *part;
	enum level level;
	const char *finding, *advice;
} variables[] = {
	{"PYTORCH_CUDA_ALLOC_CONF", EXPANDABLE, LEVEL_WARNING,
	 "PyTorch maps its memory itself (cuMemCreate): mnm serves none of it",
	 "take expandable_segments out"},
	{"PYTORCH_ALLOC_CONF", EXPANDABLE, LEVEL_WARNING,
	 "PyTorch maps its memory itself (cuMemCreate): mnm serves none of it",
	 "take expandable_segments out"},
	{"PYTORCH_NO_CUDA_MEMORY_CACHING", "", LEVEL_OK,
	 "PyTorch hands each tensor's memory to CUDA, and so to mnm", NULL},
	{"XLA_PYTHON_CLIENT_ALLOCATOR", "platform", LEVEL_OK,
	 "JAX hands each request to CUDA, and so to mnm, but for 0.10.0 to "
	 "0.10.2, which divide memory themselves",
	 NULL},
	{"XLA_PYTHON_CLIENT_ALLOCATOR", "address", LEVEL_OK,
	 "JAX hands each request to CUDA, and so to mnm; up to 0.10.2 it "
	 "refuses to start with that value",
	 NULL},
	{"XLA_PYTHON_CLIENT_ALLOCATOR", "vmm", LEVEL_WARNING,
	 "JAX maps its memory itself (cuMemCreate): mnm serves none of it",
	 "set XLA_PYTHON_CLIENT_ALLOCATOR=platform (`mnm doctor -- python` says "
	 "what your JAX makes of it)"},
	{"JULIA_CUDA_MEMORY_POOL", "none", LEVEL_OK,
	 "CUDA.jl hands each request to CUDA, and so to mnm", NULL},
	{"NUMBA_CUDA_MEMORY_MANAGER", "", LEVEL_WARNING,
	 "Numba leaves its memory to another module, which may keep it",
	 "unset NUMBA_CUDA_MEMORY_MANAGER: Numba alone keeps no cache"},
	{NULL, NULL, LEVEL_OK, NULL, NULL},
};

const struct async_answer *async_answer(void)
{
	static const struct async_answer answers[] = {
		{LEVEL_OK, "by cudaMallocAsync, which mnm serves", NULL},
		{LEVEL_WARNING,
		 "by cudaMallocAsync, which MNM_STREAM_ORDERED=0 leaves to "
		 "CUDA",
		 "unset MNM_STREAM_ORDERED"},
	};

	return &answers[frameworks_are_left()];
}

static void async_report(struct report *report, const char *variable,
			 const char *title, const char *otherwise)
{
	const struct async_answer *answer = async_answer();

	report_add(report, answer->level, "allocators",
		   answer->advice ? answer->advice : otherwise,
		   "%s=%s: %s asks %s", variable, getenv(variable), title,
		   answer->words);
}

static void frameworks_check(struct report *report)
{
	static const char other[] = "CT2_CUDA_ALLOCATOR";
	const char *value = getenv(other);

	for (const struct framework *row = frameworks; row->name; row++)
		if (framework_asks(row))
			async_report(
				report, framework_asks(row)->name, row->title,
				"`mnm run --help` says what is lost by that");
	if (value && !strcmp(value, "cuda_malloc_async"))
		async_report(report, other, "CTranslate2", NULL);
}

/* PyTorch reads no option of its own cache while it has none. */
static bool is_idle(const struct variable *row)
{
	return !strcmp(row->part, EXPANDABLE) &&
	       framework_asks(framework_find("torch"));
}

void allocators_check(struct report *report)
{
	const char *value;

	for (const struct variable *row = variables; row->variable; row++) {
		value = getenv(row->variable);
		if (value && strstr(value, row->part) && !is_idle(row))
			report_add(report, row->level, "allocators",
				   row->advice, "%s=%s: %s", row->variable,
				   value, row->finding);
	}
	frameworks_check(report);
}
