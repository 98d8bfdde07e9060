/* The plug-ins of MNM_POOL_PLUGINS: which of them can be used. */
#include <stdio.h>

#include "../plugins.h"
#include "check.h"
#include "common/pool_list.h"
#include "common/text.h"

static void plugin_report(struct report *report, const struct plugin *plugin)
{
	char file[256], pools[1024] = "";
	size_t used = 0;

	for (const struct pool_row *row = pool_rows; row->name; row++)
		if (row->file == plugin->file && used < sizeof(pools))
			used += (size_t)snprintf(pools + used,
						 sizeof(pools) - used, "%s%s",
						 used ? ", " : "", row->name);
	report_add(report, LEVEL_OK, "plug-ins", NULL, "%s has the pools %s",
		   text_plain(plugin->file, file, sizeof(file)), pools);
}

void plugins_check(struct report *report)
{
	const struct plugins *plugins = plugins_use();
	char line[PLUGIN_LINE_SIZE];

	for (size_t i = 0; plugins && i < plugins->count; i++)
		if (plugin_refusal(&plugins->list[i], line))
			report_add(report, LEVEL_WARNING, "plug-ins",
				   "correct it, or take it out of "
				   "MNM_POOL_PLUGINS; until then its pools "
				   "are unknown",
				   "%s", line);
		else
			plugin_report(report, &plugins->list[i]);
}
