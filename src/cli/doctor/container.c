#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "check.h"

/* The first PID namespace has this number on every Linux since 3.8; see
 * PROC_PID_INIT_INO in its include/linux/proc_ns.h. */
#define FIRST_PIDS "pid:[4026531836]"

static bool pids_are_first(void)
{
	char name[64] = "";
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);

	return length < 0 || !strcmp(name, FIRST_PIDS);
}

void container_check(struct report *report)
{
	struct statvfs root;

	if (!pids_are_first())
		report_add(report, LEVEL_OK, "container",
			   "run mnm inside to reach programs inside",
			   "a PID namespace of its own");
	if (!statvfs("/", &root) && root.f_flag & ST_RDONLY)
		report_add(report, LEVEL_OK, "container",
			   "set MNM_SOCKET_DIR if the sockets find no place",
			   "/ is read-only");
}
