/* What is installed: libmnm.so and CUDA's toolkit. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../install_path.h"
#include "check.h"
#include "elf.h"
#include "common/version.h"

static void version_report(struct report *report, const struct elf *elf,
			   const char *path)
{
	const char *mark =
		elf_find(elf, MNM_VERSION_MARK, strlen(MNM_VERSION_MARK));
	const char *version = mark ? mark + strlen(MNM_VERSION_MARK) : "?";
	bool same = !strcmp(version, MNM_VERSION);

	report_add(
		report, same ? LEVEL_OK : LEVEL_PROBLEM, "library",
		same ? NULL : "install both from one build",
		same ? "%s, version %.20s"
		     : "%s is of version %.20s, and this mnm of " MNM_VERSION,
		path, version);
}

void library_check(struct report *report)
{
	char path[PATH_MAX];
	const char *why;
	struct elf elf;

	if (!install_path_find("libmnm.so", path)) {
		report_add(report, LEVEL_PROBLEM, "library",
			   "run mnm where it was built or installed",
			   "no libmnm.so beside this program");
		return;
	}
	if (strpbrk(path, ": \t"))
		report_add(report, LEVEL_PROBLEM, "library",
			   "install it elsewhere",
			   "the loader can't preload %s, for its space or :",
			   path);
	if (!elf_open(&elf, path, &why)) {
		report_add(report, LEVEL_PROBLEM, "library",
			   "build or install it again", "%s: %s", path, why);
		return;
	}
	version_report(report, &elf, path);
	elf_close(&elf);
}

/* The version that the toolkit's header has; 0 if there is no toolkit. */
static int toolkit_version(const char *folder)
{
	static const char words[] = "#define CUDA_VERSION ";
	char path[PATH_MAX], line[256];
	int version = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/include/cuda.h", folder);
	file = fopen(path, "re");
	while (file && !version && fgets(line, sizeof(line), file))
		if (!strncmp(line, words, strlen(words)))
			version = atoi(line + strlen(words));
	if (file)
		fclose(file);
	return version;
}

void toolkit_check(struct report *report)
{
	const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
				       "/usr/local/cuda"};

	for (size_t i = 0; i < 3; i++) {
		int version = folders[i] ? toolkit_version(folders[i]) : 0;

		if (!version)
			continue;
		report_add(report, LEVEL_OK, "toolkit", NULL,
			   "CUDA %d.%d in %s", version / 1000,
			   version % 1000 / 10, folders[i]);
		return;
	}
	report_add(report, LEVEL_OK, "toolkit", NULL,
		   "none in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda; programs "
		   "that are built need none");
}
