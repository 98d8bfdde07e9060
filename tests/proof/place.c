#include "place.h"

#include "model.h"

int place_stream(struct program *program, const struct step *step, int context,
		 enum stream_kind kind, int thread)
{
	int at = program->stream_count++;
	struct stream_model *stream = &program->streams[at];

	*stream = (struct stream_model){.kind = kind,
					.context = context,
					.thread = thread,
					.capture = NONE,
					.given = step->number < 0};
	object_make(&stream->object, step);
	return at;
}

int place_context(struct program *program, const struct step *step, int device,
		  bool primary)
{
	int at = program->context_count++;
	struct context_model *ctx = &program->contexts[at];

	*ctx = (struct context_model){.device = device, .primary = primary};
	object_make(&ctx->object, step);
	object_make(&ctx->sync, step);
	object_make(&ctx->legacy, step);
	place_stream(program, step, at, LEGACY, NONE);
	for (int t = 0; t < program->thread_count; t++)
		place_stream(program, step, at, PER_THREAD, t);
	return at;
}

void place_device(struct program *program, const struct step *step, int device)
{
	struct device_model *it = &program->devices[device];

	it->primary = place_context(program, step, device, true);
	it->retained = it->keeper = it->primary;
	if (program->setting.kind == RENEWALS)
		it->keeper = place_context(program, step, device, false);
	program->contexts[it->keeper].kept = true;
}
