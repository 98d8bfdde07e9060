#include "own_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eh_modules.h"
#include "mapped_elf.h"
#include "preload/syscall_filter.h"
#include "walk.h"

enum { STEPS_MOST = 96 };

/* What is being read, for the walk's look for a file. */
static struct own_stack *reading;

/* /proc/self/maps, a line at a time; the rest of one that is too long is
 * passed over. */
struct maps {
	int fd;
	size_t at, have;
	char bytes[1 << 13];
	char line[PATH_MAX + 128];
};

static bool byte_next(struct maps *maps, char *byte)
{
	ssize_t got;

	if (maps->at == maps->have) {
		do
			got = read(maps->fd, maps->bytes, sizeof(maps->bytes));
		while (got < 0 && errno == EINTR);
		if (got <= 0)
			return false;
		maps->at = 0;
		maps->have = (size_t)got;
	}
	*byte = maps->bytes[maps->at++];
	return true;
}

static bool line_next(struct maps *maps)
{
	size_t length = 0;
	char byte;

	while (byte_next(maps, &byte)) {
		if (byte == '\n') {
			maps->line[length] = '\0';
			return true;
		}
		if (length + 1 < sizeof(maps->line))
			maps->line[length++] = byte;
	}
	return false;
}

static bool maps_open(struct maps *maps)
{
	maps->at = maps->have = 0;
	maps->fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	return maps->fd >= 0;
}

/* START-END PERMISSIONS OFFSET DEVICE INODE PATH. Returns the path, or NULL if
 * it is of no file. */
static const char *line_read(char *line, struct own_file *file)
{
	char *at = line;

	file->start = strtoull(at, &at, 16);
	if (*at != '-')
		return NULL;
	file->end = strtoull(at + 1, &at, 16);
	if (strlen(at) < 6)
		return NULL;
	file->offset = strtoull(at + 6, &at, 16);
	return strchr(at, '/');
}

/* Finds what is mapped at the address; false: it is no file. */
static bool file_look(struct maps *maps, uint64_t address,
		      struct own_file *file)
{
	static char first_path[OWN_STACK_PATH];
	uint64_t first = 0;
	const char *path;

	*first_path = '\0';
	while (line_next(maps)) {
		path = line_read(maps->line, file);
		if (path && !file->offset) {
			first = file->start;
			stpncpy(first_path, path, sizeof(first_path) - 1);
		}
		if (address < file->start || address >= file->end)
			continue;
		if (!path)
			return false;
		stpncpy(file->path, path, sizeof(file->path) - 1);
		file->first = strcmp(first_path, file->path) ? 0 : first;
		return true;
	}
	file->start = file->end = 0;
	return false;
}

/* Whether all of the range can be read: a program that maps its files itself
 * may have left some out. */
static bool is_readable(const uint8_t *first, const uint8_t *last)
{
	static struct maps maps;
	uint64_t at = (uintptr_t)first, start, end;
	char *text;

	if (!maps_open(&maps))
		return false;
	while (at < (uintptr_t)last && line_next(&maps)) {
		start = strtoull(maps.line, &text, 16);
		end = *text == '-' ? strtoull(text + 1, &text, 16) : 0;
		if (end <= at)
			continue;
		if (start > at || strncmp(text, " r", 2) != 0)
			break;
		at = end;
	}
	close(maps.fd);
	return last > first && at >= (uintptr_t)last;
}

/* Where the code is described by which a step is made. */
static void code_find(struct own_file *file, const Elf64_Phdr *parts, int count)
{
	const Elf64_Phdr *table = NULL;
	uint64_t bias = file->first;
	struct eh_module *code = &file->code;

	code->start = file->start;
	code->end = file->end;
	for (int i = 0; i < count; i++) {
		if (parts[i].p_type == PT_GNU_EH_FRAME)
			table = &parts[i];
		if (parts[i].p_type == PT_LOAD && !parts[i].p_offset)
			bias = file->first - parts[i].p_vaddr;
	}
	for (int i = 0; table && i < count; i++)
		if (parts[i].p_type == PT_LOAD && parts[i].p_flags & PF_R &&
		    table->p_vaddr - parts[i].p_vaddr < parts[i].p_memsz) {
			code->first =
				(const uint8_t *)(bias + parts[i].p_vaddr);
			code->last = code->first + parts[i].p_memsz;
			code->table = (const uint8_t *)(bias + table->p_vaddr);
		}
	if (code->table && !is_readable(code->first, code->last))
		code->table = NULL;
}

static void file_describe(struct own_file *file)
{
	static Elf64_Phdr parts[MAPPED_PARTS_MOST]; /* a stack may be small */
	int memory = file->first ? mapped_open() : -1, count;

	file->code.is_runtime = eh_module_is_runtime(file->path);
	if (memory < 0)
		return;
	count = mapped_parts(memory, file->first, parts);
	code_find(file, parts, count);
	build_id_find(memory, file->first, parts, count, file->build);
	close(memory);
}

/* The number of the file that has the code, which is looked for if it is new;
 * or -1. */
static int file_of(struct own_stack *stack, uint64_t code)
{
	static struct maps maps;
	struct own_file *file = &stack->files[stack->file_count];
	bool found;

	for (size_t i = 0; i < stack->file_count; i++)
		if (code >= stack->files[i].start && code < stack->files[i].end)
			return (int)i;
	if (stack->file_count == OWN_STACK_FILES ||
	    (code >= stack->other_start && code < stack->other_end))
		return -1;
	if (!maps_open(&maps))
		return -1;
	found = file_look(&maps, code, file);
	close(maps.fd);
	if (!found) {
		stack->other_start = file->start;
		stack->other_end = file->end;
		return -1;
	}
	file_describe(file);
	return (int)stack->file_count++;
}

/* What is on the stack is not unloaded meanwhile, so it may be read. */
static const struct eh_rule *rule_find(uint64_t code,
				       const struct eh_module **module)
{
	static struct eh_rule rule;
	int file = file_of(reading, code);

	*module = file >= 0 ? &reading->files[file].code : NULL;
	return *module && (*module)->table &&
			       eh_frame_find(*module, code, &rule)
		       ? &rule
		       : NULL;
}

READS_STACK void own_stack_read(struct own_stack *stack, const void *within)
{
	uint8_t copy[WALK_COPY_SIZE];
	int saved = errno;
	struct walk walk = {WALK_HERE, .rule_find = rule_find,
			    .copy = syscall_filter_kills() ? NULL : copy};
	int own = within ? file_of(stack, (uintptr_t)within) : -1;

	reading = stack;
	for (int i = 0; (!within || own >= 0) && i < STEPS_MOST &&
			stack->count < OWN_STACK_DEPTH;
	     i++) {
		int file = file_of(stack, walk.pc - 1);
		bool inside =
			within && !stack->count && file >= 0 &&
			(file == own || stack->files[file].code.is_runtime);

		if (!inside)
			stack->frames[stack->count++] =
				(struct own_frame){walk.pc, file};
		if (!walk_step(&walk) || !walk.pc)
			break;
	}
	errno = saved;
}
