#include "symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "cli/cli.h"
#include "common/text.h"
#include "elf_names.h"

enum { NAME_SIZE = 256 };

struct code {
	uint64_t start, end, offset;
	char *path;
	struct elf_names *names;
	char build[ELF_BUILD_SIZE]; /* or "" */
	bool looked;                /* for names */
	bool changed;               /* the file is another one */
	struct code *next;
};

/* A site that the recording has named. */
struct name {
	uint64_t site;
	char *text;
	UT_hash_handle hh;
};

struct symbols {
	struct code *list; /* the newest first */
	struct name *names;
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

static void names_close(struct symbols *symbols)
{
	struct name *name, *next;

	HASH_ITER (hh, symbols->names, name, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(symbols->names, name);
		free(name->text);
		free(name);
	}
}

void symbols_close(struct symbols *symbols)
{
	if (symbols)
		names_close(symbols);
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

static struct name *name_find(const struct symbols *symbols, uint64_t site)
{
	struct name *name;

	/* NOLINTNEXTLINE(*-core.*): uthash sets name */
	HASH_FIND(hh, symbols->names, &site, sizeof(site), name);
	return name;
}

const char *symbols_given(const struct symbols *symbols, uint64_t site)
{
	const struct name *name = name_find(symbols, site);

	return name ? name->text : NULL;
}

static struct name *name_add(struct symbols *symbols, uint64_t site)
{
	struct name *name = calloc(1, sizeof(*name));

	if (!name)
		return NULL;
	name->site = site;
	HASH_ADD(hh, symbols->names, site, sizeof(site), name);
	if (name->hh.tbl)
		return name;
	free(name);
	return NULL;
}

bool symbols_name(struct symbols *symbols, uint64_t site, const char *text)
{
	struct name *name = name_find(symbols, site);
	char *own = strdup(text);

	if (own && !name)
		name = name_add(symbols, site);
	if (!own || !name) {
		free(own);
		return false;
	}
	free(name->text);
	name->text = own;
	return true;
}

void symbols_note(struct symbols *symbols, const struct mnm_record_event *event)
{
	if (event->kind == MNM_RECORD_MODULE && event->text)
		symbols_add(symbols, event->address, event->size, event->span,
			    event->text);
	if (event->kind == MNM_RECORD_NAME && event->text)
		symbols_name(symbols, event->site, event->text);
	if (event->kind == MNM_RECORD_BUILD && event->text)
		symbols_build(symbols, event->address, event->text);
}

static void name_write(const char *text, char *file, char *function,
		       size_t size)
{
	const char *tab = strchr(text, '\t');
	size_t length = tab ? (size_t)(tab - text) : strlen(text);
	const char *slash = memrchr(text, '/', length);
	size_t before = slash ? (size_t)(slash + 1 - text) : 0;

	snprintf(file, size, "%.*s", (int)(length - before), text + before);
	text_plain(file, file, size);
	text_plain(tab ? tab + 1 : "", function, size);
}

void symbols_build(struct symbols *symbols, uint64_t address, const char *id)
{
	struct code *code = symbols->list;

	while (code && code->start != address)
		code = code->next;
	if (code)
		snprintf(code->build, sizeof(code->build), "%s", id);
}

void symbols_changed_tell(const struct symbols *symbols)
{
	char name[NAME_SIZE];

	for (const struct code *code = symbols->list; code; code = code->next)
		if (code->changed)
			failure("%s is another file than the program had: its "
				"functions are not named",
				text_plain(code->path, name, sizeof(name)));
}

/* Looks for the file's names, unless it is another one by now. */
static void names_look(struct code *code)
{
	const char *build;

	code->looked = true;
	code->names = elf_names_open(code->path);
	build = code->names ? elf_names_build(code->names) : "";
	code->changed =
		*code->build && *build && strcmp(code->build, build) != 0;
	if (!code->changed)
		return;
	elf_names_close(code->names);
	code->names = NULL;
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

bool symbols_find(struct symbols *symbols, uint64_t site, char *file,
		  char *function, size_t size)
{
	const struct name *given = name_find(symbols, site);
	struct code *code = symbols->list;
	const char *name = NULL, *slash;

	*file = *function = '\0';
	if (given) {
		name_write(given->text, file, function, size);
		return true;
	}
	while (code && (site <= code->start || site > code->end))
		code = code->next;
	if (!code || !site)
		return false;
	slash = strrchr(code->path, '/');
	text_plain(slash ? slash + 1 : code->path, file, size);
	if (!code->looked)
		names_look(code);
	if (code->names)
		name = elf_names_find(code->names,
				      site - 1 - code->start + code->offset);
	if (name)
		function_write(symbols, name, function, size);
	return false;
}
