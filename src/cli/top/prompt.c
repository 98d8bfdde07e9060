#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prompt.h"

void prompt_begin(struct prompt *prompt, const char *label, const char *text)
{
	memset(prompt, 0, sizeof(*prompt));
	snprintf(prompt->label, sizeof(prompt->label), "%s", label);
	if (mbstowcs(prompt->text, text, PROMPT_SIZE - 1) == (size_t)-1)
		*prompt->text = L'\0';
}

void prompt_add(struct prompt *prompt, wchar_t character)
{
	size_t length = wcslen(prompt->text);

	if (length + 1 >= PROMPT_SIZE || wcwidth(character) < 1)
		return;
	prompt->text[length++] = character;
	prompt->text[length] = L'\0';
}

void prompt_rub_out(struct prompt *prompt, bool all)
{
	size_t length = wcslen(prompt->text);

	if (length)
		prompt->text[all ? 0 : length - 1] = L'\0';
}

char *prompt_bytes(const struct prompt *prompt, char bytes[PROMPT_BYTES])
{
	size_t length = wcstombs(bytes, prompt->text, PROMPT_BYTES - 1);

	bytes[length == (size_t)-1 ? 0 : length] = '\0';
	return bytes;
}
