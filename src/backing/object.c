/* As early in a process as our dlsym, so built without sanitizers. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "object.h"

struct search {
	const char *start, *symbol;
	void *found;
};

struct tables {
	const Elf64_Sym *symbols;
	const char *names;
	const uint32_t *hash; /* DT_GNU_HASH: what libraries have since 2006 */
};

bool object_named(const struct dl_phdr_info *object, const char *start)
{
	const char *file = strrchr(object->dlpi_name, '/');

	file = file ? file + 1 : object->dlpi_name;
	return !strncmp(file, start, strlen(start));
}

/* The loader has turned the offsets of most objects into addresses. */
static const void *table_at(const struct dl_phdr_info *object, Elf64_Addr at)
{
	return (const void *)(at < object->dlpi_addr ? at + object->dlpi_addr
						     : at);
}

static struct tables tables_find(const struct dl_phdr_info *object)
{
	struct tables tables = {NULL, NULL, NULL};
	const Elf64_Dyn *entry = NULL;

	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(object->dlpi_addr +
					       object->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			tables.symbols = table_at(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			tables.names = table_at(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_GNU_HASH)
			tables.hash = table_at(object, entry->d_un.d_ptr);
	}
	return tables;
}

static uint32_t name_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* The format: count of buckets, index of the first symbol in them, words of a
 * filter, a shift; the filter; the buckets, each the index of its first symbol;
 * for each symbol its hash, whose lowest bit marks the last of a bucket. */
static const Elf64_Sym *symbol_find(const struct tables *tables,
				    const char *name)
{
	const uint32_t *head = tables->hash, *buckets, *hashes;
	uint32_t hash = name_hash(name), index;

	buckets = head + 4 + head[2] * (sizeof(Elf64_Addr) / sizeof(*head));
	hashes = buckets + head[0];
	index = head[0] ? buckets[hash % head[0]] : 0;
	if (index < head[1] || !index)
		return NULL;
	for (;; index++) {
		if ((hashes[index - head[1]] | 1) == (hash | 1) &&
		    !strcmp(tables->names + tables->symbols[index].st_name,
			    name))
			return &tables->symbols[index];
		if (hashes[index - head[1]] & 1)
			return NULL;
	}
}

static int object_visit(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct search *search = arg;
	const Elf64_Sym *symbol;
	struct tables tables;

	(void)size;
	if (!object_named(object, search->start))
		return 0;
	tables = tables_find(object);
	if (!tables.symbols || !tables.names || !tables.hash)
		return 0;
	symbol = symbol_find(&tables, search->symbol);
	if (!symbol || symbol->st_shndx == SHN_UNDEF)
		return 0;
	search->found = (void *)(object->dlpi_addr + symbol->st_value);
	return 1;
}

void *object_symbol(const char *start, const char *symbol)
{
	struct search search = {start, symbol, NULL};

	dl_iterate_phdr(object_visit, &search);
	return search.found;
}
