#include "preload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli/doctor/elf.h"
#include "install_path.h"

static bool exports_any(const struct elf *elf, const char *const *symbols)
{
	while (*symbols && !elf_exports(elf, *symbols))
		symbols++;
	return *symbols;
}

/* Whether a library comes before ours. One that has a dlsym of its own is asked
 * behind ours; see docs/guests.md. A name without a path is for the loader to
 * find. */
static bool comes_first(const char *path)
{
	static const char *const sanitizer[] = {"__asan_init", "__tsan_init",
						"__msan_init", NULL};
	static const char *const taken[] = {"cudaMalloc", "cudaFree",
					    "cuMemAlloc_v2", "cuMemFree_v2",
					    NULL};
	const char *why;
	struct elf elf;
	bool first;

	if (!strchr(path, '/'))
		return !strncmp(path, "libasan.so", 10) ||
		       !strncmp(path, "libtsan.so", 10);
	if (!elf_open(&elf, path, &why))
		return false;
	first = exports_any(&elf, sanitizer) ||
		(!elf_exports(&elf, "dlsym") && exports_any(&elf, taken));
	elf_close(&elf);
	return first;
}

/* Writes the words that come first, or those that do not. */
static void words_write(FILE *out, const char *words, bool first)
{
	char *copy = strdup(words), *rest = copy, *word;

	while (copy && (word = strsep(&rest, ": ")))
		if (*word && comes_first(word) == first)
			fprintf(out, first ? "%s:" : ":%s", word);
	free(copy);
}

char *preload_list(const char *library, const char *before)
{
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return NULL;
	words_write(out, before ? before : "", true);
	fputs(library, out);
	words_write(out, before ? before : "", false);
	if (fclose(out)) {
		free(list);
		return NULL;
	}
	return list;
}

int preload_set(char library[PATH_MAX])
{
	char *list;

	if (!install_path_find("libmnm.so", library))
		return failure("no libmnm.so beside this program");
	if (strpbrk(library, ": \t"))
		return failure("the loader can't preload %s, for its space or "
			       ":; install it elsewhere",
			       library);
	list = preload_list(library, getenv("LD_PRELOAD"));
	if (!list)
		return failure("no memory");
	setenv("LD_PRELOAD", list, 1);
	free(list);
	return EXIT_DONE;
}
