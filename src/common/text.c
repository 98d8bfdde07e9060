#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* The number of bytes of the character that starts here: in UTF-8, the bytes
 * that follow belong to the first one. */
static size_t character_length(const char *at)
{
	size_t length = 1;

	if ((unsigned char)*at < 0xc0)
		return 1;
	while (length < 4 && (at[length] & 0xc0) == 0x80)
		length++;
	return length;
}

char *text_plain(const char *from, char *to, size_t size)
{
	size_t used = 0;

	while (from && *from && used + 1 < size) {
		char c = *from >= ' ' && *from <= '~' ? *from : '?';

		from += character_length(from);
		to[used++] = c;
	}
	if (size)
		to[used] = '\0';
	return to;
}

char *text_cut(char *text, size_t most)
{
	if (strlen(text) > most)
		memcpy(text + most - 3, "...", sizeof("..."));
	return text;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_python(const char *name)
{
	size_t length = strncmp(name, "pypy", 4) ? 6 : 4;

	if (strncmp(name, length == 6 ? "python" : "pypy", length))
		return false;
	name += length;
	return strspn(name, "0123456789.dtw-") == strlen(name);
}

/* What a cluster of Python's options says about the words after it. */
enum cluster { CLUSTER_FLAGS, CLUSTER_TAKES, CLUSTER_MODULE, CLUSTER_CODE };

static enum cluster cluster_read(const char *letters, const char **module)
{
	for (; *letters; letters++) {
		if (*letters == 'c')
			return CLUSTER_CODE;
		if (strchr("WXQ", *letters))
			return letters[1] ? CLUSTER_FLAGS : CLUSTER_TAKES;
		if (*letters != 'm')
			continue;
		*module = letters[1] ? letters + 1 : NULL;
		return CLUSTER_MODULE;
	}
	return CLUSTER_FLAGS;
}

/* The script or module that Python is to run; NULL if there is none. */
static const char *python_script(const char *const *words, int count)
{
	const char *module;

	for (int i = 1; i < count; i++) {
		if (words[i][0] != '-')
			return base_name(words[i]);
		if (!words[i][1])
			return NULL;
		if (words[i][1] == '-') {
			i += !strcmp(words[i], "--check-hash-based-pycs");
			continue;
		}
		switch (cluster_read(words[i] + 1, &module)) {
		case CLUSTER_CODE:
			return NULL;
		case CLUSTER_MODULE:
			return module || i + 1 == count ? module : words[i + 1];
		case CLUSTER_TAKES:
			i++;
			break;
		default:
			break;
		}
	}
	return NULL;
}

char *text_title(const char *const *words, int count, char *to, size_t size)
{
	const char *name = count ? base_name(words[0]) : "", *script = NULL;

	if (is_python(name))
		script = python_script(words, count);
	return text_plain(script && *script ? script : name, to, size);
}

char *text_bytes(int64_t bytes, char to[TEXT_BYTES_SIZE])
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes;
	int unit = -1;

	for (; value >= 1000 && units[unit + 1]; unit++)
		value /= 1024;
	if (bytes < 0)
		snprintf(to, TEXT_BYTES_SIZE, "?");
	else if (unit < 0)
		snprintf(to, TEXT_BYTES_SIZE, "%d B", (int)bytes);
	else
		snprintf(to, TEXT_BYTES_SIZE, "%.*f %ciB",
			 value < 9.995   ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, units[unit]);
	return to;
}
