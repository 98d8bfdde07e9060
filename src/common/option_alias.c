#include "option_alias.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool_list.h"

const struct option_alias option_aliases[] = {
	{"MXNET_GPU_MEM_POOL_TYPE", "pool"},
	{"MXNET_GPU_MEM_POOL_PAGE_SIZE", "page_size"},
	{"MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF", "round_cutoff"},
	{"MXNET_GPU_MEM_POOL_RESERVE", "headroom"},
	{NULL, NULL},
};

/* MXNet's names of pools. Its variable is for the memory of GPUs alone. */
static const struct pool_name {
	const char *name, *pools;
} pool_names_of_mxnet[] = {
	{"Naive", "naive_pool,host:" POOL_DEFAULT},
	{"Round", "round_pool,host:" POOL_DEFAULT},
	{"Unpooled", "no_pool,host:" POOL_DEFAULT},
	{NULL, NULL},
};

/* The value of the option that the variable's value means, or NULL. */
static const char *value_meant(const char *option, const char *value)
{
	const struct pool_name *row = pool_names_of_mxnet;

	if (strcmp(option, "pool"))
		return value;
	while (row->name && strcmp(row->name, value))
		row++;
	return row->pools;
}

static const char *value_of(const char *variable)
{
	const char *value = secure_getenv(variable);

	return value && *value ? value : NULL;
}

enum alias_effect alias_apply(const struct option_alias *alias,
			      struct config *config,
			      char error[OPTION_ERROR_SIZE])
{
	const char *value = value_of(alias->variable), *meant;
	char own[64];

	if (!value)
		return ALIAS_UNSET;
	option_variable(option_find(alias->option), own, sizeof(own));
	if (value_of(own))
		return ALIAS_YIELDS;
	meant = value_meant(alias->option, value);
	if (meant)
		return config_set(config, alias->option, meant, error)
			       ? ALIAS_SETS
			       : ALIAS_WRONG;
	snprintf(error, OPTION_ERROR_SIZE,
		 "%s: '%.60s': unknown pool; allowed: Naive, Round, Unpooled",
		 alias->option, value);
	return ALIAS_WRONG;
}
