/* mnm record: what a program answers. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "change.h"
#include "cli.h"
#include "common/text.h"
#include "job.h"
#include "print.h"

void record_write(FILE *out, const struct job *job)
{
	const json_t *recording = json_object_get(job->answer, "recording");
	int64_t dropped = field_number(recording, "dropped");
	char file[PATH_MAX], bytes[TEXT_BYTES_SIZE];

	field_text(recording, "file", file, sizeof(file));
	if (json_is_true(json_object_get(recording, "runs"))) {
		fprintf(out, "pid %d: recorded to %s\n", job->pid, file);
		return;
	}
	fprintf(out, "pid %d: %" PRId64 " events, %s, in %s", job->pid,
		field_number(recording, "events"),
		text_bytes(field_number(recording, "bytes"), bytes), file);
	if (dropped)
		fprintf(out, "; %" PRId64 " were dropped", dropped);
	fputc('\n', out);
}

void record_print(const struct job *job, const struct arguments *arguments)
{
	(void)arguments;
	record_write(stdout, job);
}
