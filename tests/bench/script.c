#include "script.h"

#include <stdlib.h>

#include "fail.h"

static void script_add(struct script *script, struct op op)
{
	if (script->count == script->room) {
		script->room = script->room ? script->room * 2 : 1024;
		/* NOLINTNEXTLINE(*-realloc-usage): fail() ends the program */
		script->ops = realloc(script->ops,
				      script->room * sizeof(*script->ops));
		if (!script->ops)
			fail("script", "no memory on the host");
	}
	script->ops[script->count++] = op;
	if (op.slot >= script->slots)
		script->slots = (size_t)op.slot + 1;
}

void script_alloc(struct script *script, size_t slot, size_t size)
{
	script_alloc_in(script, slot, size, 0);
}

void script_free(struct script *script, size_t slot, size_t size)
{
	script_free_in(script, slot, size, 0, 0);
}

void script_alloc_in(struct script *script, size_t slot, size_t size,
		     unsigned int stream)
{
	script_add(script, (struct op){.slot = (uint32_t)slot,
				       .kind = OP_ALLOC,
				       .first = (uint8_t)stream,
				       .size = size});
	script->pairs++;
}

void script_free_in(struct script *script, size_t slot, size_t size,
		    unsigned int home, unsigned int last)
{
	script_add(script, (struct op){.slot = (uint32_t)slot,
				       .kind = OP_FREE,
				       .first = (uint8_t)home,
				       .second = (uint8_t)last,
				       .size = size});
}

void script_order(struct script *script, unsigned int earlier,
		  unsigned int later)
{
	script_add(script, (struct op){.kind = OP_ORDER,
				       .first = (uint8_t)earlier,
				       .second = (uint8_t)later});
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
