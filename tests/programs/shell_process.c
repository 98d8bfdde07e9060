/* Lines about processes and threads. The rest of such a line is a line that
 * they run. */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"

static void join(char **words, char *line, size_t size)
{
	size_t used = 0;

	*line = '\0';
	for (; *words && used < size; words++)
		used += (size_t)snprintf(line + used, size - used, "%s ",
					 *words);
}

static void *thread_lines(void *lines)
{
	char *rest = lines, *line;

	while ((line = strsep(&rest, ";")))
		shell_line(line);
	return NULL;
}

/* Runs lines separated by ; on a new thread. Prints their answers, then its
 * own. */
static void run_thread(char **words)
{
	pthread_t thread;
	char line[256];

	join(words, line, sizeof(line));
	if (!pthread_create(&thread, NULL, thread_lines, line))
		pthread_join(thread, NULL);
	printf("joined");
}

/* Prints the child's answer, then whether the child ended well. */
static void run_fork(char **words)
{
	char line[256];
	int status = 0;
	pid_t child;

	join(words, line, sizeof(line));
	fflush(stdout);
	child = fork();
	if (!child) {
		shell_line(line);
		exit(EXIT_SUCCESS);
	}
	waitpid(child, &status, 0);
	printf("ended %d", status);
}

/* Makes a child whose only thread ends as threads do, which ends the
 * process. */
static void run_fork_leave(char **words)
{
	int status = 0;
	pid_t child;

	(void)words;
	fflush(stdout);
	child = fork();
	if (!child)
		pthread_exit(NULL);
	waitpid(child, &status, 0);
	printf("ended %d", status);
}

static int child_end = -1;
static pid_t child;

/* Makes a child that prints its number and stays until child_end. The parent's
 * answer may come before the child's. */
static void run_child(char **words)
{
	int ends[2];
	char byte;

	(void)words;
	if (pipe(ends))
		return;
	fflush(stdout);
	child = fork();
	if (!child) {
		dprintf(STDOUT_FILENO, "%d\n", (int)getpid());
		close(ends[1]);
		while (read(ends[0], &byte, 1) > 0)
			;
		exit(EXIT_SUCCESS);
	}
	close(ends[0]);
	child_end = ends[1];
	printf("forked");
}

static void run_child_end(char **words)
{
	int status = 0;

	(void)words;
	close(child_end);
	waitpid(child, &status, 0);
	printf("ended %d", status);
}

/* Makes a child that serves the rest of the input. */
static void run_become_child(char **words)
{
	int status = 0;
	pid_t pid;

	(void)words;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		printf("%d", (int)getpid());
		return;
	}
	waitpid(pid, &status, 0);
	exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void run_exec(char **words)
{
	execvp(words[0], words);
	printf("exec failed");
}

/* Closes the descriptor of this number, or those up to another number, as a
 * daemon does. */
static void run_close(char **words)
{
	int last = atoi(words[1]);

	for (int fd = atoi(words[0]); fd <= last; fd++)
		close(fd);
	printf("closed");
}

/* From now on whichever thread opens a file ends the process. */
static void run_opens_kill(char **words)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(rows) / sizeof(*rows), rows};

	(void)words;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	printf("%ld", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			      SECCOMP_FILTER_FLAG_TSYNC, &filter));
}

/* Answers whether CUDA looks installed to a program that only asks. */
static void run_installed(char **words)
{
	dlerror();
	printf("%s", dlsym(RTLD_DEFAULT, words[0]) ? "yes" : "no");
	printf(" %s", dlerror() ? "error" : "none");
}

const struct shell_command shell_process[] = {
	{"thread", 1, run_thread},
	{"fork", 1, run_fork},
	{"fork_leave", 0, run_fork_leave},
	{"child", 0, run_child},
	{"child_end", 0, run_child_end},
	{"become_child", 0, run_become_child},
	{"exec", 1, run_exec},
	{"close", 2, run_close},
	{"opens_kill", 0, run_opens_kill},
	{"installed", 1, run_installed},
	{NULL, 0, NULL},
};
