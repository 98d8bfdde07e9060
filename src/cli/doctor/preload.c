/* Libraries that are loaded before a program's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "elf.h"

/* How the names of known libraries start, and what is known of them. */
static const struct known {
	const char *name;
	enum level level;
	const char *finding, *advice;
} known[] = {
	{"libmnm.so", LEVEL_OK, "preloaded already", NULL},
	{"libasan", LEVEL_OK, "comes first, as `mnm run` puts it", NULL},
	{"libtsan", LEVEL_OK, "comes first, as `mnm run` puts it", NULL},
	{"libvgpu", LEVEL_WARNING,
	 "HAMi takes the same calls, and limits memory: what mnm keeps idle "
	 "counts against its limit",
	 "set MNM_HARD_LIMIT below HAMi's, or leave one of the two out"},
	{"libnvshare", LEVEL_WARNING,
	 "nvshare makes managed memory of each allocation",
	 "leave one of the two out"},
	{"libgemhook", LEVEL_WARNING, "Gemini takes the same calls",
	 "leave one of the two out"},
	{"torch_memory_saver", LEVEL_WARNING,
	 "it maps cudaMalloc's memory itself, where it is told to; mnm serves "
	 "the rest",
	 "preload it before mnm, as `mnm run` does, or leave one of the two "
	 "out"},
	{"libjemalloc", LEVEL_OK, "host memory only: no harm", NULL},
	{"libtcmalloc", LEVEL_OK, "host memory only: no harm", NULL},
	{"libmimalloc", LEVEL_OK, "host memory only: no harm", NULL},
	{NULL, LEVEL_OK, NULL, NULL},
};

/* Reports the calls that an unknown library takes, by its exports. */
static void exports_report(struct report *report, const char *path,
			   const struct elf *elf)
{
	static const char *const taken[] = {
		"dlsym",        "cuMemAlloc_v2",    "cudaMalloc",
		"cuMemFree_v2", "cuGetProcAddress", "cudaFree"};

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		if (!elf_exports(elf, taken[i]))
			continue;
		report_add(report, LEVEL_WARNING, "preloads",
			   "compare a run without it", "%s takes %s as well",
			   path, taken[i]);
		return;
	}
	report_add(report, LEVEL_OK, "preloads", NULL,
		   "%s takes no call that mnm takes", path);
}

static void preload_check(struct report *report, const char *path)
{
	const char *file = strrchr(path, '/'), *why;
	struct elf elf;

	file = file ? file + 1 : path;
	for (const struct known *row = known; row->name; row++) {
		if (strncmp(file, row->name, strlen(row->name)))
			continue;
		report_add(report, row->level, "preloads", row->advice,
			   "%s: %s", path, row->finding);
		return;
	}
	if (file == path) {
		report_add(report, LEVEL_WARNING, "preloads",
			   "name it with its path",
			   "%s: looked for by the loader, not looked at here",
			   path);
	} else if (!elf_open(&elf, path, &why)) {
		report_add(report, LEVEL_WARNING, "preloads",
			   "the loader passes over it; take it out", "%s: %s",
			   path, why);
	} else {
		exports_report(report, path, &elf);
		elf_close(&elf);
	}
}

static int list_check(struct report *report, char *list, const char *separators)
{
	int count = 0;
	char *path;

	while ((path = strsep(&list, separators))) {
		if (!*path)
			continue;
		preload_check(report, path);
		count++;
	}
	return count;
}

static int file_check(struct report *report)
{
	FILE *file = fopen("/etc/ld.so.preload", "re");
	char line[4096];
	int count = 0;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "#\n")] = '\0';
		count += list_check(report, line, ": \t");
	}
	if (file)
		fclose(file);
	return count;
}

void preloads_check(struct report *report)
{
	const char *variable = getenv("LD_PRELOAD");
	char *list = strdup(variable ? variable : "");
	int count = list ? list_check(report, list, ": ") : 0;

	free(list);
	if (!(count + file_check(report)))
		report_add(report, LEVEL_OK, "preloads", NULL,
			   "none in LD_PRELOAD and /etc/ld.so.preload");
}
