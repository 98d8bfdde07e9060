/* Runs as early in a process as our dlsym does, so it is built without
 * sanitizers. */
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_symbol.h"

/* The dynamic section of the library that this file is part of; the linker
 * makes the symbol. */
extern Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));

struct tables {
	const Elf64_Sym *symbols;
	const char *names;
	size_t names_size;
	const uint32_t *hash; /* DT_GNU_HASH, in libraries since 2006 */
};

bool elf_file_named(const char *path, const char *start)
{
	const char *file = path;

	for (; *path; path++)
		if (*path == '/')
			file = path + 1;
	while (*start && *start == *file) {
		start++;
		file++;
	}
	return !*start;
}

static bool name_equal(const char *one, const char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
	}
	return *one == *other;
}

/* The loader has turned the offsets into addresses, in most objects. */
static const void *table_at(const struct link_map *object, Elf64_Addr at)
{
	return (const void *)(at < object->l_addr ? at + object->l_addr : at);
}

static struct tables tables_find(const struct link_map *object)
{
	struct tables tables = {NULL, NULL, 0, NULL};
	const Elf64_Dyn *entry = object->l_ld;

	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			tables.symbols = table_at(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			tables.names = table_at(object, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRSZ)
			tables.names_size = entry->d_un.d_val;
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

/* The table holds four words: the number of buckets, the index of the first
 * symbol in them, the number of words in the filter, a shift. The filter
 * follows, then the buckets, each with the index of its first symbol, then a
 * hash for each symbol, whose lowest bit marks the last symbol of a bucket. */
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
		    name_equal(tables->names + tables->symbols[index].st_name,
			       name))
			return &tables->symbols[index];
		if (hashes[index - head[1]] & 1)
			return NULL;
	}
}

static const Elf64_Sym *symbol_defined(const struct link_map *object,
				       const char *name)
{
	struct tables tables = tables_find(object);
	const Elf64_Sym *found = NULL;

	if (tables.symbols && tables.names && tables.hash)
		found = symbol_find(&tables, name);
	return found && found->st_shndx != SHN_UNDEF ? found : NULL;
}

void *elf_symbol(const char *start, const char *symbol)
{
	const struct link_map *object = _r_debug.r_map;
	const Elf64_Sym *found;

	while (object && !elf_file_named(object->l_name, start))
		object = object->l_next;
	found = object ? symbol_defined(object, symbol) : NULL;
	return found ? (void *)(object->l_addr + found->st_value) : NULL;
}

const struct link_map *elf_own(void)
{
	const struct link_map *object = _r_debug.r_map;

	while (object && object->l_ld != _DYNAMIC)
		object = object->l_next;
	return object;
}

bool elf_defines(const struct link_map *object, const char *symbol)
{
	return symbol_defined(object, symbol);
}

/* The hash table lacks what a file takes from others, so all names are looked
 * at. */
bool elf_program_names(const char *symbol)
{
	struct tables tables = tables_find(_r_debug.r_map);
	const char *end = tables.names + tables.names_size;

	for (const char *name = tables.names; name && name < end; name++) {
		if (name_equal(name, symbol))
			return true;
		while (*name)
			name++;
	}
	return false;
}
