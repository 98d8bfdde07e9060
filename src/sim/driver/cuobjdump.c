#include "cuobjdump.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 1 << 18, IMAGE_FD = 3 };

static const char tool[] = "bin/cuobjdump";

/* One run of the tool: `in` is the image, `out` what it prints. */
struct run {
	const char *path;
	const char *option;
	int in, out;
	bool done;
};

static bool is_tool(const char *path)
{
	struct stat found;

	return !stat(path, &found) && S_ISREG(found.st_mode) &&
	       !access(path, X_OK);
}

/* build/cuda beside build/sim, where this library is. */
static bool beside_find(char *path)
{
	Dl_info info;
	char *slash;

	if (!dladdr((const void *)beside_find, &info) ||
	    !realpath(info.dli_fname, path) || !(slash = strrchr(path, '/')))
		return false;
	return snprintf(slash, PATH_MAX - (slash - path), "/../cuda/%s", tool) <
		       PATH_MAX - (slash - path) &&
	       is_tool(path);
}

static bool path_find(char *path)
{
	const char *list = getenv("PATH");

	while (list && *list) {
		const char *end = strchrnul(list, ':');

		if (snprintf(path, PATH_MAX, "%.*s/cuobjdump",
			     (int)(end - list), list) < PATH_MAX &&
		    is_tool(path))
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

static bool tool_find(char *path)
{
	const char *home = getenv("CUDA_HOME");

	if (home && *home &&
	    snprintf(path, PATH_MAX, "%s/%s", home, tool) < PATH_MAX &&
	    is_tool(path))
		return true;
	if (beside_find(path) || path_find(path))
		return true;
	snprintf(path, PATH_MAX, "/usr/local/cuda/%s", tool);
	return is_tool(path);
}

/* The tool gets three descriptors and the image, no signal that is ignored or
 * blocked, and of the environment nothing but where temporary files go: above
 * all not what is preloaded into this program. */
static int run_spawn(void *arg)
{
	struct run *run = arg;
	char image[] = "/proc/self/fd/3";
	char *const argv[] = {"cuobjdump", (char *)run->option, image, NULL};
	const char *tmp = getenv("TMPDIR");
	char folder[PATH_MAX] = "TMPDIR=";
	char *const env[] = {"LC_ALL=C", tmp ? folder : NULL, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t signals;
	int status = 0;
	pid_t pid;

	if (tmp)
		snprintf(folder, sizeof(folder), "TMPDIR=%s", tmp);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, run->out, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, run->in, IMAGE_FD);
	posix_spawn_file_actions_addclosefrom_np(&files, IMAGE_FD + 1);
	posix_spawnattr_init(&attr);
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(&attr, &signals);
	sigfillset(&signals);
	posix_spawnattr_setsigdefault(&attr, &signals);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	if (!posix_spawn(&pid, run->path, &files, &attr, argv, env)) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		/* Where SIGCHLD is ignored, no status is kept. */
		run->done = !status;
	}
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return 0;
}

/* The tool is a grandchild. The child between ends without a signal, so that
 * the program gets no SIGCHLD for either, and the program's own waits for any
 * child don't find one; only __WCLONE does. Until it ends, it has this thread's
 * memory while the thread is suspended, as after vfork(), and all signals
 * blocked. */
static bool run_apart(struct run *run)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	sigset_t all, old;
	pid_t pid;

	if (stack == MAP_FAILED)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(run_spawn, stack + STACK, CLONE_VM | CLONE_VFORK, run);
	if (pid > 0)
		while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	munmap(stack, STACK);
	return pid > 0 && run->done;
}

/* A file without a name, above the descriptors that the tool gets. */
static int file_open(const char *name)
{
	int low = memfd_create(name, MFD_CLOEXEC);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, IMAGE_FD + 1);

	if (low >= 0)
		close(low);
	return fd;
}

/* Beyond a limit of file sizes a write would send SIGXFSZ to the program. */
static bool all_write(int fd, const char *bytes, size_t size)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < size)
		return false;
	while (size) {
		ssize_t some = write(fd, bytes, size);

		if (some <= 0)
			return false;
		bytes += some;
		size -= (size_t)some;
	}
	return true;
}

static char *all_read(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : malloc((size_t)size + 1);
	off_t at = 0;

	while (text && at < size) {
		ssize_t some = pread(fd, text + at, (size_t)(size - at), at);

		if (some <= 0) {
			free(text);
			return NULL;
		}
		at += some;
	}
	if (text)
		text[size] = '\0';
	return text;
}

static char *tool_run(const char *path, const char *option, const void *image,
		      size_t size)
{
	struct run run = {.path = path,
			  .option = option,
			  .in = file_open("image"),
			  .out = file_open("text")};
	char *text = NULL;

	if (run.in >= 0 && run.out >= 0 && all_write(run.in, image, size) &&
	    run_apart(&run))
		text = all_read(run.out);
	if (!text)
		fprintf(stderr,
			"mnm-sim: %s cannot read device code of %zu "
			"bytes: its kernels are not known\n",
			path, size);
	if (run.in >= 0)
		close(run.in);
	if (run.out >= 0)
		close(run.out);
	return text;
}

char *cuobjdump(const char *option, const void *image, size_t size)
{
	static bool told;
	char path[PATH_MAX];

	if (tool_find(path))
		return tool_run(path, option, image, size);
	if (!told)
		fprintf(stderr,
			"mnm-sim: no cuobjdump in CUDA_HOME, build/cuda, "
			"PATH or /usr/local/cuda (scripts/setup fetches it): "
			"the program's own kernels cannot be read\n");
	told = true;
	return NULL;
}
