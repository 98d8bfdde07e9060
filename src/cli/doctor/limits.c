/* What the shell or the container allows a process. */
#include <sys/resource.h>

#include "check.h"
#include "common/text.h"

enum { FILES_MIN = 64 };

void limits_check(struct report *report)
{
	char text[TEXT_BYTES_SIZE];
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		report_add(report, LEVEL_WARNING, "limits",
			   "ulimit -v unlimited",
			   "address space is limited to %.1f MiB, and CUDA "
			   "reserves more than it uses",
			   (double)limit.rlim_cur / (1 << 20));
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < FILES_MIN)
		report_add(report, LEVEL_WARNING, "limits", "ulimit -n 1024",
			   "%llu open files: CUDA and the control socket may "
			   "get none",
			   (unsigned long long)limit.rlim_cur);
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		report_add(report, LEVEL_OK, "limits", NULL,
			   "locked memory has no limit");
	else
		report_add(report, LEVEL_WARNING, "limits",
			   "MNM_HOST_LIMIT=SIZE, as CUDA pins past that limit, "
			   "or ulimit -l unlimited",
			   "locked memory is limited, so at most %s of idle "
			   "pinned memory are kept for reuse",
			   text_bytes((int64_t)limit.rlim_cur, text));
}
