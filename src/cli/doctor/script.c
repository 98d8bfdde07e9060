#include <stdio.h>
#include <string.h>

#include "script.h"

enum { LINE_MAX_BYTES = 256 }; /* as much as Linux reads */

/* The program among env's words: not -S or another option, nor NAME=VALUE. */
static const char *env_program(char **rest)
{
	const char *word;

	while ((word = strsep(rest, " \t")))
		if (*word && *word != '-' && !strchr(word, '='))
			return word;
	return NULL;
}

bool script_interpreter(const char *path, char *name, size_t size)
{
	char line[LINE_MAX_BYTES], *rest = line + 2;
	const char *word = "", *file;
	FILE *script = fopen(path, "re");
	bool read = script && fgets(line, sizeof(line), script);

	if (script)
		fclose(script);
	if (!read || strncmp(line, "#!", 2))
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	while (rest && !*word)
		word = strsep(&rest, " \t");
	file = strrchr(word, '/');
	if (file && !strcmp(file, "/env"))
		word = env_program(&rest);
	return word && *word && snprintf(name, size, "%s", word) < (int)size;
}
