/* A preload that patches every function that a library exports, before the
 * program starts. Each call is counted, and goes on to the patched function.
 * PATCH_LIBRARY is how the library's file name begins. PATCH_REPORT is a file
 * that gets "patched SYMBOL" or "refused SYMBOL" for each function, and "called
 * SYMBOL COUNT" at exit. */
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relocate.h"

enum { MOST = 1024 };

static struct {
	const char *symbol;
	uint32_t calls;
} entries[MOST];
static unsigned int count;

/* The code is lock incl calls(%rip), then a jump. */
static unsigned char *counter_new(const uint32_t *calls)
{
	enum { ADD_SIZE = 7 };
	unsigned char *code = code_room(ADD_SIZE + JUMP_SIZE);
	static const unsigned char add[] = {0xf0, 0xff, 0x05};
	intptr_t distance;
	int32_t offset;

	if (!code)
		return NULL;
	distance = (intptr_t)calls - (intptr_t)(code + ADD_SIZE);
	offset = (int32_t)distance;
	memcpy(code, add, sizeof(add));
	memcpy(code + sizeof(add), &offset, sizeof(offset));
	return offset == distance ? code : NULL;
}

static bool patch(const char *symbol, void *entry)
{
	unsigned char *counter = counter_new(&entries[count].calls);
	void *behind;

	if (!counter || !entry_patch(entry, counter, &behind))
		return false;
	jump_write(counter + 7, behind);
	entries[count++].symbol = symbol;
	return true;
}

struct table {
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *hash; /* DT_GNU_HASH */
};

static const void *placed(const struct dl_phdr_info *info, ElfW(Addr) addr)
{
	return (const void *)(addr < info->dlpi_addr ? info->dlpi_addr + addr
						     : addr);
}

static struct table table_of(const struct dl_phdr_info *info)
{
	struct table table = {NULL, NULL, NULL};
	const ElfW(Dyn) *entry = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(info->dlpi_addr +
					       info->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			table.symbols = placed(info, entry->d_un.d_ptr);
		if (entry->d_tag == DT_STRTAB)
			table.names = placed(info, entry->d_un.d_ptr);
		if (entry->d_tag == DT_GNU_HASH)
			table.hash = placed(info, entry->d_un.d_ptr);
	}
	return table;
}

/* The hash table has exactly the defined symbols, in their order, from this one
 * on. */
static uint32_t first_defined(const struct table *table)
{
	return table->hash[1];
}

static uint32_t symbols_end(const struct table *table)
{
	uint32_t buckets = table->hash[0], last = 0;
	const uint32_t *bucket =
		table->hash + 4 +
		table->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	const uint32_t *chain = bucket + buckets;

	for (uint32_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	while (!(chain[last - first_defined(table)] & 1))
		last++;
	return last + 1;
}

static int library_visit(struct dl_phdr_info *info, size_t size, void *report)
{
	const char *prefix = getenv("PATCH_LIBRARY");
	const char *file = strrchr(info->dlpi_name, '/');
	struct table table;

	(void)size;
	if (!file || !prefix || strncmp(file + 1, prefix, strlen(prefix)))
		return 0;
	table = table_of(info);
	if (!table.hash || !table.symbols)
		return 0;
	for (uint32_t i = first_defined(&table); i < symbols_end(&table); i++) {
		const ElfW(Sym) *symbol = &table.symbols[i];
		const char *name = table.names + symbol->st_name;

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
			continue;
		fprintf(report, "%s %s\n",
			patch(name,
			      (void *)(info->dlpi_addr + symbol->st_value))
				? "patched"
				: "refused",
			name);
	}
	return 1;
}

__attribute__((constructor)) static void patch_all(void)
{
	const char *path = getenv("PATCH_REPORT");
	FILE *report = path ? fopen(path, "w") : NULL;

	if (!report)
		return;
	dl_iterate_phdr(library_visit, report);
	fclose(report);
}

__attribute__((destructor)) static void calls_tell(void)
{
	const char *path = getenv("PATCH_REPORT");
	FILE *report = path ? fopen(path, "a") : NULL;

	for (unsigned int i = 0; report && i < count; i++)
		if (entries[i].calls)
			fprintf(report, "called %s %u\n", entries[i].symbol,
				entries[i].calls);
	if (report)
		fclose(report);
}
