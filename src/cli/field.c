/* Fields of an answer, whatever the answer holds. */
#include <string.h>

#include "common/option.h"
#include "print.h"
#include "common/process.h"
#include "common/text.h"

const char *field_text(const json_t *object, const char *key, char *text,
		       size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));

	return text_plain(value ? value : "?", text, size);
}

int64_t field_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -1;
	return json_integer_value(value);
}

size_t field_count(const json_t *object, const char *key, size_t most)
{
	size_t count = json_array_size(json_object_get(object, key));

	return count < most ? count : most;
}

const char *field_device(const json_t *object, char name[DEVICE_NAME_SIZE])
{
	const char *text = json_string_value(json_object_get(object, "device"));
	int64_t ordinal = field_number(object, "device");

	if (text && !strcmp(text, "host"))
		return text;
	if (ordinal < 0 || ordinal >= DEVICE_MAX)
		return "?";
	snprintf(name, DEVICE_NAME_SIZE, "%d", (int)ordinal);
	return name;
}

int64_t field_live(const json_t *device)
{
	int64_t pooled = field_number(device, "live_bytes");
	int64_t all = field_number(device, "device_bytes");
	int64_t reserved = field_number(device, "reserved_bytes");
	int64_t borrowed = field_number(device, "borrowed_bytes");
	int64_t sum;

	if (pooled < 0 || all < 0 || reserved < 0 ||
	    __builtin_add_overflow(pooled, all - reserved, &sum) ||
	    __builtin_add_overflow(sum, borrowed < 0 ? 0 : borrowed, &sum))
		return -1;
	return sum;
}

const char *field_title(const json_t *answer, char *text, size_t size)
{
	const json_t *arguments = json_object_get(answer, "arguments");
	size_t count = field_count(answer, "arguments", PROCESS_WORDS);
	const char *words[PROCESS_WORDS];

	for (size_t i = 0; i < count; i++) {
		words[i] = json_string_value(json_array_get(arguments, i));
		if (!words[i])
			count = i;
	}
	text_title(words, (int)count, text, size);
	return *text ? text : field_text(answer, "program", text, size);
}
