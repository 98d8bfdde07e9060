#include "symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

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

/* A file that the program has in memory. Its own tables say how long it is. */
struct file {
	const char *base;
	const Elf64_Shdr *sections;
	unsigned count;
	const char *names; /* of sections */
};

/* Global memory, and the constants of the program; other banks of constants are
 * the compiler's. */
static bool holds_variables(const struct file *file, unsigned section)
{
	const char *name;

	if (!section || section >= file->count)
		return false;
	name = file->names + file->sections[section].sh_name;
	return !strncmp(name, ".nv.global", strlen(".nv.global")) ||
	       !strcmp(name, ".nv.constant3");
}

static bool elf_symbol(const struct file *file, const Elf64_Sym *from,
		       const char *names, struct symbol **list)
{
	const Elf64_Shdr *section = file->sections + from->st_shndx;
	struct symbol *symbol;
	size_t offset;

	if (ELF64_ST_TYPE(from->st_info) != STT_OBJECT || !from->st_size ||
	    !holds_variables(file, from->st_shndx))
		return true;
	symbol = symbol_add(list, names + from->st_name, from->st_size);
	if (!symbol)
		return false;
	offset = from->st_value - section->sh_addr;
	if (section->sh_type == SHT_NOBITS || offset > section->sh_size ||
	    from->st_size > section->sh_size - offset)
		return true;
	symbol->data = malloc(from->st_size);
	if (!symbol->data)
		return false;
	memcpy(symbol->data, file->base + section->sh_offset + offset,
	       from->st_size);
	return true;
}

static bool elf_read(const char *image, struct symbol **list)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image;
	struct file file = {.base = image, .count = head->e_shnum};
	bool ok = true;

	if (!head->e_shoff || head->e_shstrndx >= head->e_shnum)
		return true;
	file.sections =
		(const Elf64_Shdr *)(const void *)(image + head->e_shoff);
	file.names = image + file.sections[head->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < file.count; i++) {
		const Elf64_Shdr *table = &file.sections[i];
		const Elf64_Sym *at;

		if (table->sh_type != SHT_SYMTAB ||
		    table->sh_link >= file.count)
			continue;
		at = (const Elf64_Sym *)(const void *)(image +
						       table->sh_offset);
		for (size_t k = 0; k < table->sh_size / sizeof(*at) && ok; k++)
			ok = elf_symbol(
				&file, at + k,
				image + file.sections[table->sh_link].sh_offset,
				list);
	}
	return ok;
}

bool symbols_read(struct image *image, bool fat, struct symbol **list)
{
	const struct ptx_text *text;

	if (image->kind == IMAGE_ELF)
		return elf_read(image->bytes, list);
	if (image->kind == IMAGE_FAT && !fat)
		return true;
	text = image_ptx(image);
	return !text || symbols_read_ptx(text->text, list);
}
