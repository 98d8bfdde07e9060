/* Programs that run under mnm, and questions to them. Nothing that such a
 * process is or says is trusted: see print.h. */
#ifndef MNM_JOB_H
#define MNM_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include <jansson.h>

#include "common/option.h"

enum job_state {
	JOB_SERVES, /* it has a socket, and has answered or is to be asked */
	JOB_SILENT, /* it has a socket, and has not answered */
	JOB_LOADED, /* the library is loaded, and there is no socket yet */
	JOB_ENDED,  /* it ended while it was asked */
};

struct job {
	int pid;  /* the one by which mnm calls it */
	int peer; /* its pid as the kernel tells it here, or 0 */
	uid_t uid;
	enum job_state state;
	struct sockaddr_un address;
	int folder; /* a descriptor that the address goes through, or -1 */
	int fd;     /* connected, for the next request, or -1 */
	bool asked;
	char *text; /* of the answer that is being read */
	size_t size;
	json_t *answer;      /* to the last request; if NULL, see error */
	int64_t answered_ms; /* when that came, see ms_now */
	char error[OPTION_ERROR_SIZE]; /* plain */
};

struct jobs {
	struct job *list; /* by rising pid */
	int count;
	bool failed; /* some may be missing, and why was printed */
};

/* Finds all jobs that the caller may steer. With MNM_SOCKET_DIR, these are the
 * jobs that have their sockets in that folder, or will; else those of every
 * folder there may be. */
void jobs_find(struct jobs *jobs);

/* Finds the job of that pid, or else the job that has this number where it
 * runs, as inside a container. Returns false if there is none; the list is
 * empty then, so that an order can reach nobody else. */
bool jobs_find_one(struct jobs *jobs, int pid);

void jobs_close(struct jobs *jobs);

/* Adds a job if somebody whom the caller may steer listens at the socket of
 * that path. number is the process's pid where it runs. If folder is not -1,
 * the path goes through it, and the job owns it. If nobody listens at a socket
 * in a folder of the caller's own, the socket is removed, unless a process of
 * that number may soon listen there. */
void jobs_add_socket(struct jobs *jobs, const char *path, int folder,
		     int number, uid_t owner);

/* Adds a process that has loaded the library, and has no socket yet. */
void jobs_add_loaded(struct jobs *jobs, int pid, uid_t owner);

/* Whether the process with that pid, as the kernel tells it here, is in the
 * list. */
bool jobs_know(const struct jobs *jobs, int pid);

/* Connects for another request. Returns false if nobody listens now. */
bool job_reconnect(struct job *job);

/* The job's answer to print as JSON, with what is known about the process from
 * here. Returns a new reference. */
json_t *job_json(const struct job *job);

/* The job's name as people know it: from its answer, or from /proc. */
const char *job_title(const struct job *job, char *text, size_t size);

/* Prints on stderr why there is no answer, as "pid 12 (train): not answering".
 * Returns EXIT_FAILED. */
int job_failure(const struct job *job);

/* What a job without an answer is, in a few words. */
const char *job_excuse(const struct job *job);

#endif
