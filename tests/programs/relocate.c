#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "relocate.h"

enum { ROOM = 1 << 20, LONGEST = 7, BEHIND = 2 * JUMP_SIZE + LONGEST };

void jump_write(unsigned char *at, const void *to)
{
	static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &to, sizeof(to));
}

unsigned char *code_room(unsigned int size)
{
	static unsigned char *room;
	static unsigned int used;
	unsigned char *found;

	if (!room)
		room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED || used + size > ROOM)
		return NULL;
	found = room + used;
	used += (size + 15) / 16 * 16;
	return found;
}

/* Returns the length of an instruction that means the same at any place, if it
 * is one that UCX 1.22 knows, or else 0. */
static unsigned int simple_length(const unsigned char *code)
{
	static const struct {
		unsigned char bytes[3], count, length;
	} simple[] = {
		{{0x48, 0x89, 0xe5}, 3, 3}, /* mov %rsp, %rbp */
		{{0x48, 0x83, 0xec}, 3, 4}, /* sub $imm8, %rsp */
		{{0x48, 0x81, 0xec}, 3, 7}, /* sub $imm32, %rsp */
	};

	for (unsigned int i = 0; i < sizeof(simple) / sizeof(*simple); i++)
		if (!memcmp(code, simple[i].bytes, simple[i].count))
			return simple[i].length;
	if (code[0] == 0x41 && code[1] >> 3 == 0x50 >> 3) /* push %r8.. */
		return 2;
	if (code[0] >> 3 == 0x50 >> 3) /* push %rax.. */
		return 1;
	return code[0] >> 3 == 0xb8 >> 3 ? 5 : 0; /* mov $imm32, %eax.. */
}

bool entry_patch(void *entry, const void *to, void **behind)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)entry & ~(page - 1);
	uintptr_t end = ((uintptr_t)entry + JUMP_SIZE + page - 1) & ~(page - 1);
	unsigned char *code = entry, *copy = code_room(BEHIND);
	unsigned int length = 0, one;

	while (length < JUMP_SIZE) {
		one = simple_length(code + length);
		if (!one)
			return false;
		length += one;
	}
	if (!copy || mprotect((void *)first, end - first,
			      PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	memcpy(copy, code, length);
	jump_write(copy + length, code + length);
	*behind = copy;
	jump_write(code, to);
	return true;
}

void entry_restore(void *entry, const void *behind)
{
	memcpy(entry, behind, JUMP_SIZE);
}
