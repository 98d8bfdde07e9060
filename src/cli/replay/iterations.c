#include "iterations.h"

#include <stdlib.h>

#include "cli/repetition.h"

static bool steps_tell(void *argument, struct repetition_finder *finder)
{
	const struct script *script = argument;
	uint64_t *sizes = calloc(script->slots + (size_t)1, sizeof(*sizes));

	for (size_t i = 0; sizes && i < script->count; i++) {
		const struct script_step *step = &script->steps[i];
		bool comes =
			step->kind == SCRIPT_ALLOC || step->kind == SCRIPT_TAKE;

		if (comes)
			sizes[step->slot] = step->bytes;
		repetition_feed(finder, &(struct repetition_block){
						.number = i,
						.key = step->slot,
						.size = sizes[step->slot],
						.device = step->device,
						.comes = comes,
					});
	}
	free(sizes);
	return sizes;
}

static bool marks_put(struct script *script, const struct repetition *found)
{
	const struct script_step mark = {.kind = SCRIPT_MARK};
	struct script marked = *script;
	bool fits = true;
	size_t next = 0;

	marked.steps = NULL;
	marked.count = marked.room = 0;
	marked.requests = 0;
	for (size_t i = 0; fits && i <= script->count; i++) {
		if (next < found->count && found->borders[next] == i) {
			fits = script_add(&marked, mark);
			next++;
		}
		if (i < script->count)
			fits = fits && script_add(&marked, script->steps[i]);
	}
	if (!fits) {
		free(marked.steps);
		return false;
	}
	free(script->steps);
	*script = marked;
	script->marks_are_found = true;
	return true;
}

bool iterations_find(struct script *script)
{
	struct repetition found;
	bool fits;

	if (script->marks)
		return true;
	if (!repetition_find(&found, steps_tell, script))
		return false;
	fits = !found.count || marks_put(script, &found);
	repetition_release(&found);
	return fits;
}
