#include "image.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fatbinary_section.h>

#include "code.h"
#include "cuobjdump.h"
#include "world.h"

/* The beginning of a fat binary says how long it is; nothing else of it is read
 * here. */
struct fat_head {
	uint32_t magic;
	uint16_t version;
	uint16_t head_size;
	uint64_t size; /* without the head */
};

enum { FAT_MAGIC = (int)0xba55ed50, IDLE_MOST = 4 };

/* Those in use, and some that are not, newest first. */
static struct image *images;

static const char mark[] = "\nFatbin "; /* ptx code, or elf code */

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t elf_size(const char *bytes)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)bytes;
	const Elf64_Shdr *sections;
	size_t size = sizeof(*head);

	if (bytes[EI_CLASS] != ELFCLASS64 ||
	    head->e_shentsize != sizeof(*sections))
		return 0;
	sections = (const Elf64_Shdr *)(const void *)(bytes + head->e_shoff);
	size = most(size, head->e_shoff + head->e_shnum * sizeof(*sections));
	size = most(size,
		    head->e_phoff + (size_t)head->e_phnum * head->e_phentsize);
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_type != SHT_NOBITS)
			size = most(size, sections[i].sh_offset +
						  sections[i].sh_size);
	return size;
}

/* How long the fat binary at an address is; 0 if there is none. */
static size_t fat_size(const char *bytes)
{
	struct fat_head head;

	if ((unsigned char)bytes[0] != (FAT_MAGIC & 0xff) ||
	    (unsigned char)bytes[1] != ((uint32_t)FAT_MAGIC >> 8 & 0xff))
		return 0;
	memcpy(&head, bytes, sizeof(head));
	return head.magic == (uint32_t)FAT_MAGIC &&
			       head.head_size >= sizeof(head)
		       ? head.head_size + head.size
		       : 0;
}

/* The compiler's structure at an address, or NULL. */
static const __fatBinC_Wrapper_t *wrapper_at(const char *bytes)
{
	const __fatBinC_Wrapper_t *wrapper =
		(const __fatBinC_Wrapper_t *)(const void *)bytes;

	if ((unsigned char)bytes[0] != (FATBINC_MAGIC & 0xff) ||
	    (unsigned char)bytes[1] != (FATBINC_MAGIC >> 8 & 0xff))
		return NULL;
	return wrapper->magic == FATBINC_MAGIC && wrapper->data ? wrapper
								: NULL;
}

/* What it is, and how long. An image may be short, so no byte is read before
 * the one in front of it is known. */
static enum image_kind measure(const char **at, size_t *size)
{
	const __fatBinC_Wrapper_t *wrapper;
	const char *bytes = *at;

	if (!memcmp(bytes, ELFMAG, 1) && !strncmp(bytes, ELFMAG, SELFMAG)) {
		*size = elf_size(bytes);
		return *size ? IMAGE_ELF : IMAGE_OTHER;
	}
	bytes += strspn(bytes, " \t\r\n");
	if (*bytes == '.' || *bytes == '/') {
		*at = bytes;
		*size = strlen(bytes) + 1;
		return IMAGE_PTX;
	}
	wrapper = wrapper_at(bytes);
	if (wrapper)
		bytes = (const char *)wrapper->data;
	*size = fat_size(bytes);
	*at = bytes;
	return *size ? IMAGE_FAT : IMAGE_OTHER;
}

/* A program that was linked from relocatable code (nvcc -rdc=true) has the
 * PTX in the fat binaries that were linked, and machine code in its own. All of
 * them, one behind the other; NULL if there are none, or memory is short. */
static char *linked_join(const void *at, size_t *size)
{
	const __fatBinC_Wrapper_t *wrapper = wrapper_at(at);
	const char *const *parts;
	char *joined;

	if (!wrapper || wrapper->version != FATBINC_LINK_VERSION ||
	    !wrapper->filename_or_fatbins)
		return NULL;
	parts = wrapper->filename_or_fatbins;
	*size = fat_size((const char *)wrapper->data);
	for (size_t i = 0; parts[i]; i++)
		*size += fat_size(parts[i]);
	joined = malloc(*size + 1);
	if (!joined)
		return NULL;
	*size = fat_size((const char *)wrapper->data);
	memcpy(joined, wrapper->data, *size);
	for (size_t i = 0; parts[i]; i++) {
		memcpy(joined + *size, parts[i], fat_size(parts[i]));
		*size += fat_size(parts[i]);
	}
	return joined;
}

/* FNV-1a of its words. */
static unsigned long hash_of(const char *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325u, word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + i,
		       size - i < sizeof(word) ? size - i : sizeof(word));
		hash = (hash ^ word) * 0x100000001b3u;
	}
	return hash;
}

static void image_free(struct image *image)
{
	codes_free(image->codes);
	while (image->texts) {
		struct ptx_text *text = image->texts;

		image->texts = text->next;
		ptx_module_free(text->module);
		free(text->text);
		free(text);
	}
	free(image->elf);
	free(image->bytes);
	free(image);
}

/* Frees what nobody uses, but for those that were used last: a program may load
 * its code again and again. */
static void idle_free(void)
{
	struct image **at = &images;
	unsigned idle = 0;

	while (*at) {
		struct image *image = *at;

		if (image->users || ++idle <= IDLE_MOST) {
			at = &image->next;
			continue;
		}
		*at = image->next;
		image_free(image);
	}
}

void image_keep(struct image *image)
{
	image->users++;
}

void image_leave(struct image *image)
{
	struct image **at = &images;

	if (!image || --image->users)
		return;
	while (*at != image)
		at = &(*at)->next;
	*at = image->next;
	image->next = images;
	images = image;
	idle_free();
}

static struct image *image_make(enum image_kind kind, const char *bytes,
				size_t size, unsigned long hash)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	*image = (struct image){.kind = kind,
				.size = size,
				.first = kind == IMAGE_FAT ? fat_size(bytes)
							   : size,
				.hash = hash};
	image->bytes = calloc(1, size + 1);
	if (!image->bytes) {
		free(image);
		return NULL;
	}
	if (size)
		memcpy(image->bytes, bytes, size);
	if (!strncmp(image->bytes, IMAGE_REGISTERS, strlen(IMAGE_REGISTERS)))
		image->max_registers = (unsigned)strtoul(
			image->bytes + strlen(IMAGE_REGISTERS), NULL, 10);
	image->next = images;
	images = image;
	return image;
}

struct image *image_find(const void *at)
{
	const char *bytes = at;
	size_t size = 0;
	enum image_kind kind = measure(&bytes, &size);
	char *joined = kind == IMAGE_FAT ? linked_join(at, &size) : NULL;
	unsigned long hash;
	struct image *image;

	if (joined)
		bytes = joined;
	if (!kind)
		size = 0;
	hash = hash_of(bytes, size);
	for (image = images; image; image = image->next)
		if (image->kind == kind && image->hash == hash &&
		    image->size == size && !memcmp(image->bytes, bytes, size))
			break;
	if (!image)
		image = image_make(kind, bytes, size, hash);
	if (image)
		image_keep(image);
	free(joined);
	return image;
}

/* What this device would take comes first: the newest architecture that is not
 * newer than its own; then the others, oldest first. */
static bool is_better(unsigned arch, unsigned than)
{
	unsigned own = (unsigned)(world.profile.compute_major * 10 +
				  world.profile.compute_minor);

	if (arch <= own && than <= own)
		return arch > than;
	return arch <= own || (than > own && arch < than);
}

/* Adds a copy of a text. Those of relocatable code for one architecture are
 * linked by putting one behind the other. */
static bool text_add(struct image *image, const char *text, unsigned arch,
		     bool linked)
{
	struct ptx_text **at = &image->texts;
	struct ptx_text *added;

	while (*at &&
	       (linked ? (*at)->arch != arch : !is_better(arch, (*at)->arch)))
		at = &(*at)->next;
	if (linked && *at) {
		size_t had = strlen((*at)->text);
		char *more = realloc((*at)->text, had + strlen(text) + 2);

		if (!more)
			return false;
		more[had] = '\n';
		strcpy(more + had + 1, text);
		(*at)->text = more;
		return true;
	}
	if (linked)
		return text_add(image, text, arch, false);
	added = malloc(sizeof(*added));
	if (!added)
		return false;
	*added = (struct ptx_text){
		.next = *at, .arch = arch, .text = strdup(text)};
	if (!added->text) {
		free(added);
		return false;
	}
	*at = added;
	return true;
}

/* Each part begins with a mark and lines about it. PTX begins with a comment or
 * with the directive of its version. */
static void parts_add(struct image *image, char *text, bool linked)
{
	static const char arch_mark[] = "\narch = sm_";
	char *next;

	for (char *part = text ? strstr(text, mark) : NULL; part; part = next) {
		char *arch, *begin;

		part++;
		next = strstr(part, mark);
		if (next)
			*next = '\0';
		arch = strstr(part, arch_mark);
		begin = strstr(part, "\n.version");
		if (!begin)
			continue;
		if (arch && arch < begin)
			arch += strlen(arch_mark);
		else
			arch = begin;
		if (!text_add(image, begin + 1,
			      (unsigned)strtoul(arch, NULL, 10), linked))
			return;
	}
}

static void parts_read(struct image *image)
{
	bool linked = image->first < image->size;
	size_t size;

	for (size_t at = 0; at < image->size; at += size) {
		char *text;

		size = fat_size(image->bytes + at);
		text = cuobjdump("-ptx", image->bytes + at, size);
		image->failed |= !text;
		parts_add(image, text, linked);
		free(text);
	}
}

struct ptx_text *image_ptx(struct image *image)
{
	if (image->ptx_read)
		return image->texts;
	image->ptx_read = true;
	if (image->kind == IMAGE_PTX)
		text_add(image, image->bytes, 0, false);
	else if (image->kind == IMAGE_FAT)
		parts_read(image);
	return image->texts;
}

struct ptx_module *image_module(struct ptx_text *text, struct ptx_error *error)
{
	if (text && !text->parsed)
		text->module = ptx_parse(text->text, strlen(text->text), error);
	if (text)
		text->parsed = true;
	return text ? text->module : NULL;
}
