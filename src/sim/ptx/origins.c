#include "origins.h"

#include <stdlib.h>

enum { WORD = 64 };

bool ptx_origins_open(struct ptx_origins *origins,
		      const struct ptx_function *kernel,
		      const struct ptx_reach *reach)
{
	const struct ptx_kernel *head = &kernel->kernel;
	size_t most =
		PTX_FROM_FIRST + head->param_bytes / 8 + reach->variable_count;
	size_t count = PTX_FROM_FIRST;

	*origins = (struct ptx_origins){0};
	origins->list = calloc(most, sizeof(*origins->list));
	if (!origins->list)
		return false;
	for (size_t i = 0; i < head->param_count; i++)
		for (size_t at = 0; at + 8 <= head->params[i].size; at += 8)
			origins->list[count++] =
				(struct ptx_origin){.param = i, .offset = at};
	for (size_t i = 0; i < reach->symbol_count; i++)
		if (reach->symbols[i]->variable)
			origins->list[count++] = (struct ptx_origin){
				.param = SIZE_MAX,
				.variable = reach->symbols[i]->variable,
			};
	origins->count = count;
	origins->words = (2 * count + WORD - 1) / WORD;
	return true;
}

void ptx_origins_close(struct ptx_origins *origins)
{
	free(origins->list);
	origins->list = NULL;
}

size_t ptx_origin_param(const struct ptx_origins *origins, size_t param,
			size_t offset)
{
	for (size_t i = PTX_FROM_FIRST; i < origins->count; i++)
		if (origins->list[i].param == param &&
		    origins->list[i].offset == offset)
			return i;
	return SIZE_MAX;
}

size_t ptx_origin_variable(const struct ptx_origins *origins,
			   const struct ptx_variable *variable)
{
	for (size_t i = PTX_FROM_FIRST; i < origins->count; i++)
		if (origins->list[i].variable == variable)
			return i;
	return SIZE_MAX;
}

bool ptx_set_has(const uint64_t *set, size_t bit)
{
	return set[bit / WORD] >> bit % WORD & 1;
}

static void bit_add(struct ptx_origins *origins, uint64_t *to, size_t bit)
{
	origins->changed |= to < origins->scratch && !ptx_set_has(to, bit);
	to[bit / WORD] |= UINT64_C(1) << bit % WORD;
}

void ptx_set_add(struct ptx_origins *origins, uint64_t *to, size_t origin)
{
	if (origin < origins->count)
		bit_add(origins, to, origin);
}

void ptx_set_join(struct ptx_origins *origins, uint64_t *to,
		  const uint64_t *from)
{
	for (size_t i = 0; i < origins->words; i++) {
		origins->changed |= to < origins->scratch && from[i] & ~to[i];
		to[i] |= from[i];
	}
}

/* What local and shared memory hold is known, so it is left to the caller. */
void ptx_set_join_read(struct ptx_origins *origins, uint64_t *to,
		       const uint64_t *from)
{
	for (size_t i = PTX_FROM_NOWHERE; i < origins->count; i++)
		if (ptx_set_has(from, i) ||
		    ptx_set_has(from, origins->count + i))
			bit_add(origins, to, origins->count + i);
}

void ptx_set_use(struct ptx_origins *origins, const uint64_t *set,
		 unsigned int flags)
{
	bool known = ptx_set_has(set, PTX_FROM_LOCAL) ||
		     ptx_set_has(set, PTX_FROM_SHARED);

	if (!origins->recording)
		return;
	for (size_t i = PTX_FROM_NOWHERE; i < origins->count; i++) {
		bool read = ptx_set_has(set, origins->count + i);
		bool direct = ptx_set_has(set, i);

		if (direct && i >= PTX_FROM_FIRST)
			origins->list[i].flags |= flags;
		if (read)
			origins->list[i].flags |= PTX_USE_INDIRECT;
		if (read || (direct && i == PTX_FROM_NOWHERE))
			origins->elsewhere |= flags;
		known |= read || direct;
	}
	if (!known)
		origins->elsewhere |= flags;
}
