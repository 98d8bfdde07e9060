#include "symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "../ptx/ptx.h"
#include "image.h"

struct symbol *symbol_find(struct symbol *list, const char *name)
{
	while (list && strcmp(list->name, name))
		list = list->next;
	return list;
}

struct symbol *symbol_add(struct symbol **list, const char *name, size_t size)
{
	size_t length = strlen(name) + 1;
	struct symbol *symbol = calloc(1, sizeof(*symbol) + length);

	if (!symbol)
		return NULL;
	memcpy(symbol->name, name, length);
	symbol->size = size;
	symbol->next = *list;
	*list = symbol;
	return symbol;
}

void symbols_free(struct symbol **list)
{
	while (*list) {
		struct symbol *symbol = *list;

		*list = symbol->next;
		free(symbol->data);
		free(symbol);
	}
}

/* A copy of the file. What its tables say may be wrong. */
struct file {
	const char *base;
	size_t size; /* there is a byte of zero behind it */
	const Elf64_Shdr *sections;
	unsigned count;
	unsigned names; /* the section of the sections' names */
};

/* Bytes of the file, or NULL where it has none. */
static const void *bytes_at(const struct file *file, uint64_t offset,
			    uint64_t size)
{
	return offset <= file->size && size <= file->size - offset
		       ? file->base + offset
		       : NULL;
}

/* A text in a section of texts; empty if there is none. */
static const char *text_at(const struct file *file, unsigned section,
			   uint64_t offset)
{
	const char *text = "";

	if (section < file->count && offset < file->sections[section].sh_size)
		text = bytes_at(file,
				file->sections[section].sh_offset + offset, 1);
	return text ? text : "";
}

/* Global memory, and the constants of the program; other banks of constants are
 * the compiler's. */
static bool holds_variables(const struct file *file, unsigned section)
{
	const char *name;

	if (!section || section >= file->count)
		return false;
	name = text_at(file, file->names, file->sections[section].sh_name);
	return !strncmp(name, ".nv.global", strlen(".nv.global")) ||
	       !strcmp(name, ".nv.constant3");
}

static bool elf_symbol(const struct file *file, const Elf64_Sym *from,
		       const char *name, struct symbol **list)
{
	const Elf64_Shdr *section = file->sections + from->st_shndx;
	struct symbol *symbol;
	const void *data;
	size_t offset;

	if (ELF64_ST_TYPE(from->st_info) != STT_OBJECT || !from->st_size ||
	    !holds_variables(file, from->st_shndx))
		return true;
	symbol = symbol_add(list, name, from->st_size);
	if (!symbol)
		return false;
	offset = from->st_value - section->sh_addr;
	data = bytes_at(file, section->sh_offset + offset, from->st_size);
	if (section->sh_type == SHT_NOBITS || offset > section->sh_size ||
	    from->st_size > section->sh_size - offset || !data)
		return true;
	symbol->data = malloc(from->st_size);
	if (!symbol->data)
		return false;
	memcpy(symbol->data, data, from->st_size);
	return true;
}

static bool table_read(const struct file *file, const Elf64_Shdr *table,
		       struct symbol **list)
{
	const char *at = bytes_at(file, table->sh_offset, table->sh_size);
	bool ok = true;

	for (size_t i = 0; at && i < table->sh_size / sizeof(Elf64_Sym) && ok;
	     i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, at + i * sizeof(symbol), sizeof(symbol));
		ok = elf_symbol(file, &symbol,
				text_at(file, table->sh_link, symbol.st_name),
				list);
	}
	return ok;
}

static bool elf_read(const struct image *image, struct symbol **list)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->bytes;
	struct file file = {.base = image->bytes,
			    .size = image->size,
			    .count = head->e_shnum,
			    .names = head->e_shstrndx};
	bool ok = true;

	file.sections = bytes_at(&file, head->e_shoff,
				 file.count * sizeof(*file.sections));
	if (!head->e_shoff || head->e_shoff % sizeof(uint64_t) ||
	    !file.sections)
		return true;
	for (unsigned i = 0; i < file.count && ok; i++)
		if (file.sections[i].sh_type == SHT_SYMTAB)
			ok = table_read(&file, &file.sections[i], list);
	return ok;
}

static bool ptx_read(const struct ptx_module *module, struct symbol **list)
{
	for (size_t i = 0; i < ptx_variable_count(module); i++) {
		const struct ptx_variable *from = ptx_variable_at(module, i);
		struct symbol *symbol;

		if (from->external || !from->size)
			continue;
		symbol = symbol_add(list, from->name, from->size);
		if (!symbol)
			return false;
		symbol->managed = from->managed;
		if (!from->data)
			continue;
		symbol->data = malloc(from->size);
		if (!symbol->data)
			return false;
		memcpy(symbol->data, from->data, from->size);
	}
	return true;
}

bool symbols_read(struct image *image, struct symbol **list)
{
	const struct ptx_module *module;

	if (image->kind == IMAGE_ELF)
		return elf_read(image, list);
	module = image_module(image_ptx(image), NULL);
	return !module || ptx_read(module, list);
}
