/* The file of MNM_PLAN: whether a plan can be read from it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "common/text.h"
#include "plan/plan_file.h"

/* Returns what is wrong, or NULL; then the plan is the caller's. */
static const char *plan_open(const char *path, struct plan_file *plan)
{
	unsigned char *bytes;
	const char *wrong;
	struct stat st;
	FILE *file;
	size_t size;

	if (stat(path, &st))
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is no regular file";
	if (st.st_size > PLAN_FILE_MOST)
		return "it is too large for a plan";
	bytes = malloc(PLAN_FILE_MOST);
	file = bytes ? fopen(path, "re") : NULL;
	if (!file) {
		wrong = strerror(errno);
		free(bytes);
		return wrong;
	}
	size = fread(bytes, 1, PLAN_FILE_MOST, file);
	fclose(file);
	wrong = plan_file_read(plan, bytes, size);
	free(bytes);
	return wrong;
}

bool plan_check(struct report *report, const char *path)
{
	char plain[256], peak[TEXT_BYTES_SIZE];
	struct plan_file plan = {0};
	const char *wrong;

	if (!*path || strstr(path, "%d")) /* its devices are not known */
		return true;
	text_plain(path, plain, sizeof(plain));
	wrong = plan_open(path, &plan);
	if (wrong) {
		report_add(report, LEVEL_WARNING, "options",
			   "save one by `mnm plan PID --save FILE`",
			   "MNM_PLAN: %s: %s; tstack_pool learns without it",
			   plain, wrong);
		return false;
	}
	report_add(report, LEVEL_OK, "options", NULL,
		   "MNM_PLAN: a plan of %zu requests and %s", plan.cycle.count,
		   text_bytes((int64_t)plan.plan.peak, peak));
	plan_file_release(&plan);
	return true;
}
