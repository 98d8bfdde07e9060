/* What the options are now, and the command that sets one. */
#include "about.h"
#include "mem/live_options.h"
#include "request.h"

static json_t *option_json(const struct config *config,
			   const struct option_row *row)
{
	char text[2048];
	json_t *value;

	config_text(config, row, text, sizeof(text));
	value = json_string(text);
	return value ? value : json_string("?"); /* a path need not be UTF-8 */
}

json_t *options_json(void)
{
	json_t *options = json_object();
	struct config config;

	live_options_get(&config);
	for (const struct option_row *row = option_rows; row->name; row++)
		json_object_set_new(options, row->name,
				    option_json(&config, row));
	return options;
}

json_t *set_run(struct request *request)
{
	const struct option_row *row =
		live_option_find(request->option, request->error, ERROR_SIZE);
	struct config config;
	json_t *answer;

	if (!row)
		return NULL;
	if (!request->value)
		live_options_get(&config);
	else if (!live_option_set(row->name, request->value, &config,
				  request->error, ERROR_SIZE))
		return NULL;
	answer = about_json();
	json_object_set_new(answer, "option", json_string(row->name));
	json_object_set_new(answer, "value", option_json(&config, row));
	json_object_set_new(answer, "changed", json_boolean(request->value));
	return answer;
}
