#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "echo.h"
#include "walk.h"

enum { SLOT = 1024, SLOTS = 20 };

static char buffers[SLOTS][SLOT] __attribute__((aligned(SLOT)));

static void set_pointer(void *to, unsigned int place, bool wild)
{
	uintptr_t nowhere = 0x1000 * (place + 1) + 0x13;
	void *value = wild ? (void *)nowhere : buffers[place];

	memcpy(to, &value, sizeof(value));
}

static void set_bytes(unsigned char *to, size_t size, unsigned int place)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (unsigned char)(0x10 * (place + 1) + i + 1);
}

void value_set(void *to, size_t size, unsigned int place,
	       enum argument argument, enum values values)
{
	uint64_t number = (place + 1) * 0x20002 + 1;

	memset(to, 0, size);
	if (values == VALUES_NULL)
		return;
	if (argument != ARGUMENT_PLAIN)
		set_pointer(to, place,
			    values == VALUES_ODD && argument != ARGUMENT_READ);
	else if (values == VALUES_ODD)
		set_bytes(to, size, place);
	else
		memcpy(to, &number,
		       size < sizeof(number) ? size : sizeof(number));
}

void buffers_clear(void)
{
	memset(buffers, 0, sizeof(buffers));
	echo_buffers(buffers, sizeof(buffers));
}

void buffers_print(void)
{
	static const char zeros[SLOT];
	int end;

	for (int place = 0; place < SLOTS; place++) {
		if (!memcmp(buffers[place], zeros, SLOT))
			continue;
		for (end = SLOT; end && !buffers[place][end - 1];)
			end--;
		printf(" %d:", place);
		for (int i = 0; i < end; i++)
			printf("%02x", (unsigned char)buffers[place][i]);
	}
}
