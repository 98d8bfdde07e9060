/* Lines of NAME=VALUE, as `mnm run --set` and the environment have them. Each
 * is set after the one before. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "common/option.h"

enum { VALUE_SIZE = 2048 };

static void error_check(const char error[OPTION_ERROR_SIZE])
{
	claim(memchr(error, '\0', OPTION_ERROR_SIZE), "an error has an end");
	claim(*error, "an error says something");
}

/* An option's value, written as text, sets the option to the same value. */
static void text_check(const struct config *config,
		       const struct option_row *row)
{
	char text[VALUE_SIZE], again[VALUE_SIZE], error[OPTION_ERROR_SIZE];
	struct config other;

	config_text(config, row, text, sizeof(text));
	config_init(&other);
	claim(config_set(&other, row->name, text, error),
	      "a value is read as it is written");
	config_text(&other, row, again, sizeof(again));
	claim(!strcmp(text, again), "a value is written as it is read");
}

static void line_set(struct config *config, char *line)
{
	char *value = strchr(line, '='), error[OPTION_ERROR_SIZE] = "";
	struct config before;

	if (!value)
		return;
	*value++ = '\0';
	memcpy(&before, config, sizeof(before));
	if (config_set(config, line, value, error)) {
		text_check(config, option_find(line));
		return;
	}
	error_check(error);
	/* NOLINTNEXTLINE(*-comparison,cert-*): no padding changes */
	claim(!memcmp(&before, config, sizeof(before)),
	      "a wrong value changes nothing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = input_text(data, size), *rest = text, *line;
	char error[OPTION_ERROR_SIZE] = "";
	struct config config;

	config_init(&config);
	while ((line = strsep(&rest, "\n")))
		line_set(&config, line);
	if (!config_check(&config, error))
		error_check(error);
	free(text);
	return 0;
}
