#include "image.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fatbinary_section.h>

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

enum { FAT_MAGIC = (int)0xba55ed50 };

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

/* What it is, and how long. An image may be short, so no byte is read before
 * the one in front of it is known. */
static enum image_kind measure(const char **at, size_t *size)
{
	const __fatBinC_Wrapper_t *wrapper;
	const char *bytes = *at;
	struct fat_head head;

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
	if ((unsigned char)bytes[0] == (FATBINC_MAGIC & 0xff) &&
	    (unsigned char)bytes[1] == (FATBINC_MAGIC >> 8 & 0xff)) {
		wrapper = (const __fatBinC_Wrapper_t *)(const void *)bytes;
		if (wrapper->magic != FATBINC_MAGIC || !wrapper->data)
			return IMAGE_OTHER;
		bytes = (const char *)wrapper->data;
	}
	if ((unsigned char)bytes[0] != (FAT_MAGIC & 0xff) ||
	    (unsigned char)bytes[1] != ((uint32_t)FAT_MAGIC >> 8 & 0xff))
		return IMAGE_OTHER;
	memcpy(&head, bytes, sizeof(head));
	if (head.magic != (uint32_t)FAT_MAGIC || head.head_size < sizeof(head))
		return IMAGE_OTHER;
	*at = bytes;
	*size = head.head_size + head.size;
	return IMAGE_FAT;
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

struct image *image_find(const void *at)
{
	const char *bytes = at;
	size_t size = 0;
	enum image_kind kind = measure(&bytes, &size);
	unsigned long hash = kind ? hash_of(bytes, size) : 0;
	struct image *image;

	for (image = images; image; image = image->next)
		if (image->kind == kind && image->hash == hash &&
		    image->size == size &&
		    (!size || !memcmp(image->bytes, bytes, size)))
			return image;
	image = calloc(1, sizeof(*image));
	if (!image)
		return NULL;
	*image = (struct image){.kind = kind, .size = size, .hash = hash};
	if (kind) {
		image->bytes = malloc(size + 1);
		if (!image->bytes) {
			free(image);
			return NULL;
		}
		memcpy(image->bytes, bytes, size);
	}
	image->next = images;
	images = image;
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

static bool text_add(struct image *image, const char *text, unsigned arch)
{
	struct ptx_text **at = &image->texts;
	struct ptx_text *added = malloc(sizeof(*added));

	if (!added)
		return false;
	while (*at && !is_better(arch, (*at)->arch))
		at = &(*at)->next;
	*added = (struct ptx_text){.next = *at, .arch = arch, .text = text};
	*at = added;
	return true;
}

/* Each part begins with a mark and lines about it. PTX begins with a comment or
 * with the directive of its version. */
static void parts_add(struct image *image, char *text)
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
			      (unsigned)strtoul(arch, NULL, 10)))
			return;
	}
}

static void parts_read(struct image *image)
{
	char *text = cuobjdump("-ptx", image->bytes, image->size);

	image->failed = !text;
	parts_add(image, text);
	if (!image->texts)
		free(text);
}

struct ptx_text *image_ptx(struct image *image)
{
	if (image->ptx_read)
		return image->texts;
	image->ptx_read = true;
	if (image->kind == IMAGE_PTX)
		text_add(image, image->bytes, 0);
	else if (image->kind == IMAGE_FAT)
		parts_read(image);
	return image->texts;
}
