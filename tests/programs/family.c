/* Has children in the way that is named, and prints what became of them; that
 * has to be the same with a library preloaded. Words after the name are run by
 * the children that run another program. */
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
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

enum { CHILDREN = 200, AT_ONCE = 40, BLOCK = 5000, THREADS = 3 };

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

static int entries(const char *folder)
{
	DIR *dir = opendir(folder);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* The number of children that did not end well. */
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

/* Becomes a daemon; `ready` is closed when that is through. */
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

/* Children that never use CUDA have what a fork gives, and no more. */
static int does_idle_children(char **words)
{
	int threads, own = entries("/proc/self/fd");

	(void)words;
	printf("block %d\n", block_works());
	fflush(stdout);
	for (int i = 0; i < CHILDREN; i++) {
		if (fork())
			continue;
		threads = entries("/proc/self/task") - 2;
		exit(threads != 1 || entries("/proc/self/fd") > own + 8);
	}
	printf("bad %d, block %d\n", children_wait(CHILDREN), block_works());
	return 0;
}

static int does_cuda_children(char **words)
{
	int bad = 0;

	(void)words;
	for (int done = 0; done < CHILDREN; done += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			if (!fork())
				exit(!block_works());
		bad += children_wait(AT_ONCE);
	}
	printf("bad %d\n", bad);
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

/* Children of a program whose threads are allocating use what CUDA refuses. */
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
