/* Lines for threads that stay until they are ended. So a test says which thread
 * makes which call, and knows that it has been made. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

enum { THREADS_MAX = 16, LINE_SIZE = 256 };

static struct worker {
	char name[16];
	pthread_t thread;
	sem_t given, done;
	char line[LINE_SIZE]; /* empty if the thread has to end */
} workers[THREADS_MAX];

static void *work(void *arg)
{
	struct worker *worker = arg;

	for (;;) {
		while (sem_wait(&worker->given))
			;
		if (!*worker->line)
			return NULL;
		shell_answer(worker->line);
		sem_post(&worker->done);
	}
}

/* Returns the thread of that name, which is started if there is none. */
static struct worker *worker_find(const char *name)
{
	struct worker *free = NULL;

	for (int i = 0; i < THREADS_MAX; i++) {
		if (!strcmp(workers[i].name, name))
			return &workers[i];
		if (!*workers[i].name)
			free = &workers[i];
	}
	if (!free)
		exit(2);
	snprintf(free->name, sizeof(free->name), "%s", name);
	sem_init(&free->given, 0, 0);
	sem_init(&free->done, 0, 0);
	if (pthread_create(&free->thread, NULL, work, free))
		exit(2);
	return free;
}

/* Runs the rest of the line on that thread, and prints its answer. */
static void run_on(char **words)
{
	struct worker *worker = worker_find(words[0]);
	size_t used = 0;

	for (words++; *words && used < LINE_SIZE; words++)
		used += (size_t)snprintf(worker->line + used, LINE_SIZE - used,
					 "%s ", *words);
	sem_post(&worker->given);
	while (sem_wait(&worker->done))
		;
}

static void run_end_thread(char **words)
{
	struct worker *worker = worker_find(words[0]);

	*worker->line = '\0';
	sem_post(&worker->given);
	pthread_join(worker->thread, NULL);
	*worker->name = '\0';
	printf("ended");
}

static pthread_key_t at_end;

enum { ROUNDS = 3 }; /* of destructors; the last one makes the call */

static struct last {
	int round;
	char line[LINE_SIZE];
} last;

/* Sets the key again, so that the call comes after the destructors of
 * others. */
static void ends(void *unused)
{
	if (++last.round < ROUNDS)
		pthread_setspecific(at_end, unused);
	else
		shell_answer(last.line);
}

/* Runs the rest of the line as this thread's last call, and prints its answer
 * before the one about the thread's end. */
static void run_at_end(char **words)
{
	size_t used = 0;

	for (last.round = 0; *words && used < LINE_SIZE; words++)
		used += (size_t)snprintf(last.line + used, LINE_SIZE - used,
					 "%s ", *words);
	if (!pthread_key_create(&at_end, ends))
		pthread_setspecific(at_end, &last);
	printf("later");
}

const struct shell_command shell_threads[] = {
	{"on", 2, run_on},
	{"end_thread", 1, run_end_thread},
	{"at_end", 1, run_at_end},
	{NULL, 0, NULL},
};
