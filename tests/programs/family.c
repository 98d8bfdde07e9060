/* Makes children in the way that is named, and prints what became of them. That
 * has to be the same with a library preloaded. Children that execute another
 * program run the words after the name. */
#define __CUDA_API_VERSION_INTERNAL
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

enum { CHILDREN = 200, BLOCK = 5000, THREADS = 3 };

extern char **environ;

static bool block_works(void)
{
	unsigned char got[BLOCK];
	void *ptr;

	if (cudaMalloc(&ptr, BLOCK) || cudaMemset(ptr, 5, BLOCK) ||
	    cudaMemcpy(got, ptr, BLOCK, cudaMemcpyDeviceToHost))
		return false;
	return got[0] == 5 && got[BLOCK - 1] == 5 && !cudaFree(ptr);
}

static int threads_count(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	return count;
}

static int sockets_count(void)
{
	struct stat st;
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += !fstat(fd, &st) && S_ISSOCK(st.st_mode);
	return count;
}

/* Returns how many children did not end well. */
static int children_wait(int count)
{
	int status, bad = 0;

	for (int i = 0; i < count; i++)
		bad += wait(&status) < 0 || status;
	return bad;
}

static int child_run(char **words)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	/* NOLINTNEXTLINE(*.vfork,*-functions,cert-*): what is to be tested */
	child = vfork();
	if (!child) {
		execvp(words[0], words);
		_exit(1);
	}
	waitpid(child, &status, 0);
	return status;
}

static int does_vfork(char **words)
{
	printf("block %d\n", block_works());
	printf("child %d\n", child_run(words));
	printf("block %d\n", block_works());
	return 0;
}

static int does_spawn(char **words)
{
	int status = -1;
	pid_t child;

	printf("block %d\n", block_works());
	fflush(stdout);
	if (posix_spawnp(&child, words[0], NULL, NULL, words, environ))
		return 1;
	waitpid(child, &status, 0);
	printf("child %d, block %d\n", status, block_works());
	return 0;
}

/* Becomes a daemon as daemons do, but keeps its output. */
static void daemon_become(void)
{
	int out = dup(STDOUT_FILENO);

	fflush(stdout);
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != out)
			close(fd);
	open("/dev/null", O_RDWR);
	dup2(out, STDOUT_FILENO);
	dup2(STDIN_FILENO, STDERR_FILENO);
	close(out);
}

static int does_daemon_first(char **words)
{
	(void)words;
	daemon_become();
	printf("block %d\n", block_works());
	return 0;
}

static int does_cuda_first(char **words)
{
	(void)words;
	printf("block %d\n", block_works());
	daemon_become();
	printf("block %d\n", block_works());
	return 0;
}

/* Makes children that all do the same. A pipe holds them back until all of them
 * are there. */
static int children_run(bool (*run)(void))
{
	int gate[2];
	char byte;

	fflush(stdout);
	if (pipe(gate))
		return CHILDREN;
	for (int i = 0; i < CHILDREN; i++) {
		if (fork())
			continue;
		close(gate[1]);
		_exit(read(gate[0], &byte, 1) || !run());
	}
	close(gate[0]);
	close(gate[1]);
	return children_wait(CHILDREN);
}

static int sockets_before;

/* Returns whether the child has only what a fork gives it. */
static bool nothing_added(void)
{
	return threads_count() == 1 && sockets_count() == sockets_before;
}

static int does_idle_children(char **words)
{
	(void)words;
	sockets_before = sockets_count();
	printf("block %d\n", block_works());
	printf("bad %d, block %d\n", children_run(nothing_added),
	       block_works());
	return 0;
}

static int does_cuda_children(char **words)
{
	(void)words;
	printf("bad %d\n", children_run(block_works));
	return 0;
}

static atomic_bool over;

static void *turn(void *unused)
{
	(void)unused;
	while (!over)
		if (!block_works())
			return "failed";
	return NULL;
}

/* While the program's threads allocate, its children make calls that CUDA
 * refuses. */
static int does_children_beside_threads(char **words)
{
	pthread_t threads[THREADS];
	void *failed;
	int bad;

	(void)words;
	if (!block_works())
		return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, turn, NULL);
	for (int i = 0; i < CHILDREN; i++)
		if (!fork())
			_exit(block_works());
	bad = children_wait(CHILDREN);
	over = true;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		bad += failed != NULL;
	}
	printf("bad %d\n", bad);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **words);
} families[] = {
	{"vfork", does_vfork},
	{"spawn", does_spawn},
	{"daemon_first", does_daemon_first},
	{"cuda_first", does_cuda_first},
	{"idle_children", does_idle_children},
	{"cuda_children", does_cuda_children},
	{"children_beside_threads", does_children_beside_threads},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (argc > 1 && !strcmp(argv[1], families[i].name))
			return families[i].run(argv + 2);
	fputs("family: one of the names in its source\n", stderr);
	return 2;
}
