/* A program's file, its libraries, and its interpreter. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "check.h"
#include "elf.h"
#include "libraries.h"
#include "script.h"

enum { SCRIPTS_MAX = 4 }; /* scripts that run one another, as Linux allows */

static bool can_run(const char *path)
{
	struct stat st;

	return !access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Finds the file that a name means, as execvp does. */
static bool name_find(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	char *copy, *rest, *folder;
	bool found = false;

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	rest = copy = strdup(folders ? folders : "/bin:/usr/bin");
	while (!found && (folder = strsep(&rest, ":"))) {
		found = snprintf(path, PATH_MAX, "%s/%s",
				 *folder ? folder : ".", name) < PATH_MAX &&
			can_run(path);
	}
	free(copy);
	return found;
}

/* Whether the loader preloads nothing for the program, as it gets rights of
 * others. */
static bool is_secure(const char *path, const struct stat *st)
{
	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       (st->st_mode & S_ISGID && st->st_gid != getegid()) ||
	       (geteuid() &&
		getxattr(path, "security.capability", NULL, 0) > 0);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_python(const char *path)
{
	return !strncmp(file_name(path), "python", strlen("python"));
}

/* NULL if the library can be loaded into the program; else what the program
 * is. */
static const char *kind_refuse(const struct elf *elf, const struct elf *self)
{
	const char *loader = elf_interpreter(elf);

	if (elf->header->e_machine != self->header->e_machine)
		return "for another kind of processor than libmnm.so";
	if (elf->header->e_type != ET_EXEC && elf->header->e_type != ET_DYN)
		return "an ELF file, but no program";
	if (!loader)
		return "linked statically, or no program: no loader, so "
		       "nothing can be preloaded";
	if (strcmp(file_name(loader), file_name(elf_interpreter(self))))
		return "for another C library than glibc";
	return NULL;
}

static void elf_report(struct report *report, const char *path,
		       const struct elf *elf)
{
	const char *refused, *why;
	struct elf self;

	if (!elf_open(&self, "/proc/self/exe", &why))
		return;
	refused = kind_refuse(elf, &self);
	if (refused) {
		report_add(report, LEVEL_PROBLEM, "program",
			   "build it for this system, with shared glibc; if "
			   "it only starts another program, look at that one",
			   "%s: %s", path, refused);
	} else {
		report_add(report, LEVEL_OK, "program", NULL,
			   "%s: a program that the loader runs", path);
		libraries_check(report, path, elf_interpreter(&self));
	}
	elf_close(&self);
	if (!refused && is_python(path))
		python_check(report, path);
}

/* Returns false if it is not a file that can be run. */
static bool file_check(struct report *report, const char *path)
{
	struct stat st;

	if (stat(path, &st) || access(path, X_OK)) {
		report_add(report, LEVEL_PROBLEM, "program", "name another",
			   "%s: %s", path, strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		report_add(report, LEVEL_PROBLEM, "program", "name another",
			   "%s: not a plain file", path);
		return false;
	}
	if (is_secure(path, &st))
		report_add(report, LEVEL_PROBLEM, "program",
			   "run a copy without these rights",
			   "%s: setuid, setgid or with capabilities: the "
			   "loader preloads nothing",
			   path);
	return true;
}

/* A script that another program runs. `name` is what it was called by. */
static void script_report(struct report *report, const char *name,
			  const char *path, const char *interpreter)
{
	char advice[PATH_MAX + 128];

	if (is_python(path) && !is_python(interpreter)) {
		snprintf(advice, sizeof(advice),
			 "name that Python; `%s -c 'import sys; "
			 "print(sys.executable)'` prints it",
			 name);
		report_add(report, LEVEL_WARNING, "program", advice,
			   "%s: a script for %s; which Python it starts, and "
			   "which frameworks that has, is not known",
			   path, interpreter);
		return;
	}
	report_add(report, LEVEL_OK, "program",
		   "look at the programs that it starts as well",
		   "%s: a script for %s", path, interpreter);
	if (!is_python(interpreter))
		python_starter_check(report, path);
}

void program_check(struct report *report, const char *name)
{
	char path[PATH_MAX], next[2][PATH_MAX];
	struct elf elf;
	const char *why;

	for (int i = 0; i < SCRIPTS_MAX; i++) {
		if (!name_find(name, path)) {
			report_add(report, LEVEL_PROBLEM, "program",
				   "name another, or its path",
				   "%s: not found in $PATH", name);
			return;
		}
		if (!file_check(report, path))
			return;
		if (elf_open(&elf, path, &why)) {
			elf_report(report, path, &elf);
			elf_close(&elf);
			return;
		}
		if (!script_interpreter(path, next[i % 2], PATH_MAX)) {
			report_add(report, LEVEL_PROBLEM, "program",
				   "name a program, or a script with a #! line",
				   "%s: %s", path, why);
			return;
		}
		script_report(report, name, path, next[i % 2]);
		name = next[i % 2];
	}
	report_add(report, LEVEL_PROBLEM, "program", "name another",
		   "%s: too many scripts that run scripts", path);
}
