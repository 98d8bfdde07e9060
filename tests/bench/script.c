#include "script.h"

#include <stdlib.h>

#include "fail.h"

static void script_add(struct script *script, size_t slot, size_t size,
		       bool frees)
{
	if (script->count == script->room) {
		script->room = script->room ? script->room * 2 : 1024;
		/* NOLINTNEXTLINE(*-realloc-usage): fail() ends the program */
		script->ops = realloc(script->ops,
				      script->room * sizeof(*script->ops));
		if (!script->ops)
			fail("script", "no memory on the host");
	}
	script->ops[script->count++] = (struct op){(uint32_t)slot, frees, size};
	if (slot >= script->slots)
		script->slots = slot + 1;
}

void script_alloc(struct script *script, size_t slot, size_t size)
{
	script_add(script, slot, size, false);
	script->pairs++;
}

void script_free(struct script *script, size_t slot, size_t size)
{
	script_add(script, slot, size, true);
}

void script_close(struct script *script)
{
	free(script->ops);
}

uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}
