#include "offsets.h"

#include <inttypes.h>

void offsets_write(FILE *out, const struct lifetimes *lifetimes,
		   const struct plan *plan)
{
	bool classes = lifetimes->class_count > 0;

	fprintf(out, "id,lower,upper,size%s%s,offset\n",
		lifetimes->has_align ? ",align" : "", classes ? ",class" : "");
	for (size_t i = 0; i < lifetimes->count; i++) {
		const struct plan_buffer *buffer = &lifetimes->buffers[i];

		fprintf(out, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			lifetimes_id(lifetimes, i), buffer->lower,
			buffer->upper, buffer->size);
		if (lifetimes->has_align)
			fprintf(out, ",%" PRIu64, buffer->align);
		if (classes)
			fprintf(out, ",%s",
				lifetimes->class_names[lifetimes->classes[i]]);
		fprintf(out, ",%" PRIu64 "\n", plan->offsets[i]);
	}
}
