#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"
#include "child.h"
#include "libraries.h"

enum { LIMIT_MS = 20000 };

static void missing_report(struct report *report, const char *name)
{
	bool runtime = !strncmp(name, "libcudart.so", 12);

	report_add(report, LEVEL_PROBLEM, "libraries",
		   runtime ? "add the toolkit's lib64 to LD_LIBRARY_PATH; "
			     "`mnm run --sim` brings its own"
			   : "install it, or add its folder to LD_LIBRARY_PATH",
		   "%.*s is not found", (int)strcspn(name, " "), name);
}

/* Checks one line of the loader's list: "\tNAME => PATH (ADDRESS)", "\tNAME =>
 * not found" or "\tPATH (ADDRESS)". Returns whether it brings CUDA. */
static bool line_check(struct report *report, char *line)
{
	char *arrow = strstr(line, " => "),
	     *path = arrow ? arrow + 4 : line + 1, *end = strrchr(path, ' ');

	if (arrow && !strcmp(path, "not found")) {
		missing_report(report, line + 1);
		return !strncmp(line + 1, "libcuda", 7);
	}
	if (*path != '/' || !end)
		return false;
	*end = '\0'; /* the path may hold spaces */
	return cuda_check(report, path);
}

/* Checks each line. Returns the number of runtimes and drivers among the
 * libraries. */
static int list_check(struct report *report, char *text)
{
	int count = 0, shared = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		shared += !strncmp(line, "\tlibcudart.so.", 14);
		if (*line == '\t')
			count += line_check(report, line);
		else if (*line && !strstr(line, "ERROR: ld.so"))
			report_add(report, LEVEL_PROBLEM, "libraries",
				   "the program does not start here without "
				   "mnm either",
				   "%s", line);
	}
	if (shared > 1)
		report_add(report, LEVEL_WARNING, "libraries",
			   "build all of it with one version of CUDA",
			   "%d shared runtimes: cudaMalloc of the second may "
			   "report its errors to the first",
			   shared);
	return count;
}

void libraries_check(struct report *report, const char *path,
		     const char *loader)
{
	char resolved[PATH_MAX], program[PATH_MAX];
	char *argv[] = {program, resolved, NULL};
	struct child child;
	bool itself;

	/* This is what ldd does: the loader prints its list and ends. */
	snprintf(program, sizeof(program), "%s", loader);
	if (!realpath(path, resolved) ||
	    !child_run(&child, argv, "LD_TRACE_LOADED_OBJECTS", "1",
		       LIMIT_MS)) {
		report_add(report, LEVEL_PROBLEM, "libraries", NULL, "%s: %s",
			   path, strerror(errno));
		return;
	}
	itself = cuda_check(report, resolved);
	if (child.late)
		report_add(report, LEVEL_WARNING, "libraries", NULL,
			   "%s did not list them in time", loader);
	else if (WIFSIGNALED(child.status))
		report_add(report, LEVEL_PROBLEM, "libraries",
			   "build or install it again",
			   "%s: the loader crashes as it reads it (signal %d)",
			   path, WTERMSIG(child.status));
	else if (!(list_check(report, child.text) + itself) && !child.status)
		report_add(report, LEVEL_OK, "cuda", NULL,
			   "%s names no CUDA library; one that it opens as it "
			   "runs is served",
			   path);
	free(child.text);
}
