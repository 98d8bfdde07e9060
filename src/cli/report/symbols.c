#include "symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "elf_names.h"

struct code {
	uint64_t start, end, offset;
	char *path;
	struct elf_names *names;
	bool looked; /* for names */
	struct code *next;
};

struct symbols {
	struct code *list; /* the newest first */
	/* Of the C++ runtime, if there is one here. */
	char *(*demangle)(const char *, char *, size_t *, int *);
};

struct symbols *symbols_open(void)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	void *runtime = dlopen("libstdc++.so.6", RTLD_LAZY);

	if (symbols && runtime)
		*(void **)&symbols->demangle = dlsym(runtime, "__cxa_demangle");
	return symbols;
}

void symbols_close(struct symbols *symbols)
{
	while (symbols && symbols->list) {
		struct code *first = symbols->list;

		symbols->list = first->next;
		elf_names_close(first->names);
		free(first->path);
		free(first);
	}
	free(symbols);
}

bool symbols_add(struct symbols *symbols, uint64_t address, uint64_t size,
		 uint64_t offset, const char *path)
{
	struct code *code = calloc(1, sizeof(*code));

	if (!code)
		return false;
	code->path = strdup(path);
	if (!code->path) {
		free(code);
		return false;
	}
	code->start = address;
	code->end = address + size;
	code->offset = offset;
	code->next = symbols->list;
	symbols->list = code;
	return true;
}

static void function_write(const struct symbols *symbols, const char *name,
			   char *function, size_t size)
{
	char *plain = NULL;
	int status;

	if (symbols->demangle && !strncmp(name, "_Z", 2))
		plain = symbols->demangle(name, NULL, NULL, &status);
	text_plain(plain ? plain : name, function, size);
	free(plain);
}

void symbols_find(struct symbols *symbols, uint64_t site, char *file,
		  char *function, size_t size)
{
	struct code *code = symbols->list;
	const char *name = NULL, *slash;

	*file = *function = '\0';
	while (code && (site <= code->start || site > code->end))
		code = code->next;
	if (!code || !site)
		return;
	slash = strrchr(code->path, '/');
	text_plain(slash ? slash + 1 : code->path, file, size);
	if (!code->looked)
		code->names = elf_names_open(code->path);
	code->looked = true;
	if (code->names)
		name = elf_names_find(code->names,
				      site - 1 - code->start + code->offset);
	if (name)
		function_write(symbols, name, function, size);
}
