#include "postmortem_stack.h"

#include <inttypes.h>
#include <string.h>

#include "postmortem_text.h"
#include "record/own_stack.h"

static void file_put(const struct own_file *file)
{
	postmortem_put("{\"address\":%" PRIu64 ",\"size\":%" PRIu64
		       ",\"offset\":%" PRIu64,
		       file->start, file->end - file->start, file->offset);
	postmortem_put_text("path", file->path);
	postmortem_put_text("build", file->build);
	postmortem_put("}");
}

void postmortem_put_stack(void)
{
	static struct own_stack stack;
	const char *between = "";

	memset(&stack, 0, sizeof(stack)); /* it is too large for a stack */
	own_stack_read(&stack, (const void *)postmortem_put_stack);
	postmortem_put(",\"stack\":[");
	for (size_t i = 0; i < stack.count; i++)
		postmortem_put("%s%" PRIu64, i ? "," : "",
			       stack.frames[i].address);
	postmortem_put("],\"files\":[");
	for (size_t i = 0; i < stack.file_count; i++) {
		postmortem_put("%s", between);
		file_put(&stack.files[i]);
		between = ",";
	}
	postmortem_put("]");
}
