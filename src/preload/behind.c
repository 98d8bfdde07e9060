#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "elf_symbol.h"

/* Whether a list of preloads, with spaces or colons, names the file. */
static bool behind_names(const char *list, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	size_t length = strlen(file);

	for (const char *at = list; *file && (at = strstr(at, file)); at++)
		if ((at == list || strchr(": /", at[-1])) &&
		    strchr(": ", at[length]))
			return true;
	return false;
}

static int words_of(const char *list)
{
	int count = 1;

	while ((list = strpbrk(list, ": "))) {
		list++;
		count++;
	}
	return count;
}

/* Has to agree with comes_first() in src/cli/preload.c. */
static bool takes_memory(const struct link_map *object)
{
	static const char *const taken[] = {"cudaMalloc", "cudaFree",
					    "cuMemAlloc_v2", "cuMemFree_v2"};

	if (elf_defines(object, "dlsym"))
		return false;
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (elf_defines(object, taken[i]))
			return true;
	return false;
}

const char *loader_taker_behind(void)
{
	const char *list = getenv("LD_PRELOAD");
	const struct link_map *own = list ? elf_own() : NULL, *object = own;
	int left = own ? words_of(list) : 0;

	/* The preloads follow each other in the list of objects. What comes
	 * after them may change. */
	while (--left > 0 && (object = object->l_next))
		if (behind_names(list, object->l_name) && takes_memory(object))
			return object->l_name;
	return NULL;
}
