/* Programs that run under mnm, and questions to them. Nothing that such a
 * process is or says is trusted: see print.h. */
#ifndef MNM_JOB_H
#define MNM_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include <jansson.h>

enum job_state {
	JOB_SERVES, /* it has a socket, and has answered or is to be asked */
	JOB_SILENT, /* it has a socket, and has not answered */
	JOB_LOADED, /* the library is loaded, and there is no socket yet */
	JOB_ENDED,  /* while it was asked */
};

struct job {
	int pid;  /* by which it is called here */
	int peer; /* its pid, as the kernel tells it here; 0: it does not */
	uid_t uid;
	enum job_state state;
	struct sockaddr_un address;
	int folder; /* a descriptor by which the address is reached; -1: none */
	int fd;     /* connected, -1: not; to be used for the next request */
	bool asked;
	char *text; /* of the answer under way */
	size_t size;
	json_t *answer;  /* to the last request; NULL: see error */
	char error[256]; /* plain */
};

struct jobs {
	struct job *list; /* in rising order of pids */
	int count;
	bool failed; /* a folder can't be looked into, which has been said */
};

/* All that the caller may steer. With MNM_SOCKET_DIR, those that have their
 * sockets in that folder, or will; else in every folder there may be. */
void jobs_find(struct jobs *jobs);

/* The one of that pid; or else of that number where it runs, as a container's
 * are known inside. False: there is none. */
bool jobs_find_one(struct jobs *jobs, int pid);

void jobs_close(struct jobs *jobs);

/* Adds one for a process that is known by its number where it runs and whose
 * socket has that path, through folder if that is not -1, which it owns then,
 * if somebody listens there whom the caller may steer. Of a socket in a folder
 * of one's own nobody may be left: it is removed. */
void jobs_add_socket(struct jobs *jobs, const char *path, int folder,
		     int number, uid_t owner);

/* Adds one that the library is loaded into, and that has no socket yet. */
void jobs_add_loaded(struct jobs *jobs, int pid, uid_t owner);

/* Whether that process, as the kernel tells its pid here, is in the list. */
bool jobs_know(const struct jobs *jobs, int pid);

/* Connects for another request. False: nobody listens now. */
bool job_reconnect(struct job *job);

/* An answer to print as JSON, with what is known from here as well. A new
 * reference. */
json_t *job_json(const struct job *job);

/* Its name as people know it: from its answer, or from /proc. */
const char *job_title(const struct job *job, char *text, size_t size);

/* Why there is no answer, as "pid 12 (train): not answering", on stderr;
 * returns EXIT_FAILED. */
int job_failure(const struct job *job);

/* What a job without an answer is, in a few words. */
const char *job_excuse(const struct job *job);

#endif
