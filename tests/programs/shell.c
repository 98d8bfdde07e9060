#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

enum { MEMORY_MAX = 4096, WORDS_MAX = 16, LINE_SIZE = 1024 };

static struct shell_memory memories[MEMORY_MAX];

struct shell_memory *shell_memory(const char *name)
{
	struct shell_memory *memory = memories;

	while (*memory->name && strcmp(memory->name, name))
		if (++memory == memories + MEMORY_MAX)
			exit(2);
	snprintf(memory->name, sizeof(memory->name), "%s", name);
	return memory;
}

size_t shell_size(const char *word)
{
	return strtoull(word, NULL, 0);
}

uint64_t shell_address(const char *word)
{
	return strtoull(word, NULL, 16);
}

void shell_print_pointer(uint64_t addr, uint64_t before)
{
	printf(" %s", addr == before ? "kept" : addr ? "set" : "null");
}

int shell_all(const unsigned char *bytes, size_t size, int value)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != (unsigned char)value)
			return 0;
	return 1;
}

static const struct shell_command *command_find(
	const struct shell_command *command, const char *name, int words)
{
	for (; command->name; command++)
		if (!strcmp(command->name, name) && command->words <= words)
			return command;
	return NULL;
}

void shell_answer(char *line)
{
	const struct shell_command *command;
	char *words[WORDS_MAX] = {NULL};
	char *rest, *word = strtok_r(line, " \n", &rest);
	int count = 0;

	for (; word && count < WORDS_MAX - 1;
	     word = strtok_r(NULL, " \n", &rest))
		words[count++] = word;
	command = count ? command_find(shell_form, words[0], count - 1) : NULL;
	for (size_t i = 0; !command && count && shell_more[i]; i++)
		command = command_find(shell_more[i], words[0], count - 1);
	if (command)
		command->run(words + 1);
	else
		printf("what?");
}

void shell_line(char *line)
{
	shell_answer(line);
	putchar('\n');
	fflush(stdout);
}

int shell_run(void)
{
	char line[LINE_SIZE];

	/* The next program reads what an exec leaves unread. */
	setvbuf(stdin, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "leave\n"))
		shell_line(line);
	return 0;
}
