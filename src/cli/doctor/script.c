#include <limits.h>
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

/* The program of a #! line, or NULL. */
static const char *first_program(char *line)
{
	const char *word = "", *file;
	char *rest = line + 2;

	if (strncmp(line, "#!", 2))
		return NULL;
	line[strcspn(line, "\r\n")] = '\0';
	while (rest && !*word)
		word = strsep(&rest, " \t");
	file = strrchr(word, '/');
	return file && !strcmp(file, "/env") ? env_program(&rest) : word;
}

/* Where the path of a Python is too long for a #! line, or has spaces, pip and
 * uv write one for sh, and then a line that is a command for sh, and for Python
 * the start of a string. Returns the Python that it names, or NULL. */
static const char *second_program(char *line)
{
	static const char begin[] = "'''exec' ";
	char *word = line + strlen(begin);
	const char *ends = *word == '"' ? "\"" : *word == '\'' ? "'" : " \r\n";

	if (strncmp(line, begin, strlen(begin)))
		return NULL;
	word += *ends != ' ';
	word[strcspn(word, ends)] = '\0';
	return *word && !strpbrk(word, "$`") ? word : NULL;
}

bool script_interpreter(const char *path, char *name, size_t size)
{
	char line[LINE_MAX_BYTES], next[PATH_MAX + 32];
	const char *word = NULL, *second = NULL;
	FILE *script = fopen(path, "re");

	if (script && fgets(line, sizeof(line), script))
		word = first_program(line);
	if (word && !strcmp(word, "/bin/sh") &&
	    fgets(next, sizeof(next), script))
		second = second_program(next);
	if (script)
		fclose(script);
	word = second ? second : word;
	return word && *word && snprintf(name, size, "%s", word) < (int)size;
}
