#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "descriptors.h"
#include "folder.h"
#include "job.h"
#include "print.h"
#include "common/process.h"
#include "processes.h"
#include "common/protocol.h"
#include "common/text.h"

enum { PID_MAX = 4194304 };

static int compare(const void *a, const void *b)
{
	return ((const struct job *)a)->pid - ((const struct job *)b)->pid;
}

static struct job *job_new(struct jobs *jobs)
{
	struct job *grown = realloc(jobs->list, (size_t)(jobs->count + 1) *
							sizeof(*jobs->list));

	if (!grown)
		return NULL;
	jobs->list = grown;
	grown += jobs->count++;
	memset(grown, 0, sizeof(*grown));
	grown->folder = -1;
	grown->fd = -1;
	return grown;
}

/* Whether a process is in the list already; a folder may be reached in two
 * ways. */
static bool job_known(const struct jobs *jobs, const struct job *job)
{
	for (int i = 0; i < jobs->count; i++)
		if (job->peer ? jobs->list[i].peer == job->peer
			      : !strcmp(jobs->list[i].address.sun_path,
					job->address.sun_path))
			return true;
	return false;
}

/* Notes who listens. Returns false if it is nobody whom the caller may
 * steer. */
static bool peer_read(struct job *job)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(job->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
	    peer.uid != job->uid)
		return false;
	job->peer = peer.pid;
	if (peer.pid)
		job->pid = peer.pid;
	return true;
}

/* Returns 1 if connected, 0 if nobody listens, -1 if too many clients wait
 * there. */
static int job_connect(struct job *job)
{
	int res;

	job->fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (job->fd < 0)
		return 0;
	res = connect(job->fd, (struct sockaddr *)&job->address,
		      sizeof(job->address));
	if (!res)
		return 1;
	res = errno;
	close(job->fd);
	job->fd = -1;
	errno = res;
	return res == EAGAIN ? -1 : 0;
}

bool job_reconnect(struct job *job)
{
	int peer = job->peer, pid = job->pid;
	bool same = job_connect(job) > 0 && peer_read(job) && job->peer == peer;

	job->peer = peer;
	job->pid = pid;
	if (!same && job->fd >= 0) { /* another process has its address */
		close(job->fd);
		job->fd = -1;
		errno = ECONNREFUSED;
	}
	return same;
}

static void job_close(struct job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	if (job->folder >= 0)
		close(job->folder);
	free(job->text);
	json_decref(job->answer);
}

/* Whether a process has that number and may put a socket there at any time, in
 * place of the one at which nobody listens. */
static bool begins(int number)
{
	return (!kill(number, 0) || errno != ESRCH) &&
	       process_has_library(number);
}

void jobs_add_socket(struct jobs *jobs, const char *path, int folder,
		     int number, uid_t owner)
{
	struct job job = {
		.pid = number, .uid = owner, .folder = folder, .fd = -1};
	struct job *added;
	int res;

	job.address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(job.address.sun_path)) {
		job_close(&job);
		return;
	}
	strcpy(job.address.sun_path, path);
	res = job_connect(&job);
	if (res < 0 && process_has_library(number))
		job.peer = number;
	if (!res && errno == ECONNREFUSED && owner == geteuid() &&
	    !begins(number))
		socket_remove_left(path);
	if (!res || (res > 0 && !peer_read(&job)) || job_known(jobs, &job) ||
	    !(added = job_new(jobs))) {
		job_close(&job);
		return;
	}
	*added = job;
}

bool jobs_know(const struct jobs *jobs, int pid)
{
	const struct job job = {.peer = pid};

	return job_known(jobs, &job);
}

void jobs_add_loaded(struct jobs *jobs, int pid, uid_t owner)
{
	struct job *job = job_new(jobs);

	if (!job)
		return;
	job->pid = pid;
	job->peer = pid;
	job->uid = owner;
	job->state = JOB_LOADED;
}

static int pid_of(const struct dirent *entry)
{
	char *end;
	long pid = strtol(entry->d_name, &end, 10);

	return pid > 0 && pid <= PID_MAX && !strcmp(end, SOCKET_SUFFIX)
		       ? (int)pid
		       : 0;
}

struct wanted {
	struct jobs *jobs;
	int number; /* 0 for all */
};

static void folder_search(const char *dir, uid_t owner, void *arg)
{
	const struct wanted *wanted = arg;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)], plain[256];
	struct dirent *entry;
	DIR *stream;
	int number = wanted->number;

	if (number) {
		if (socket_path(dir, number, path, sizeof(path)))
			jobs_add_socket(wanted->jobs, path, -1, number, owner);
		return;
	}
	stream = opendir(dir);
	if (!stream) {
		if (!wanted->jobs->failed)
			failure("%s: %s", text_plain(dir, plain, sizeof(plain)),
				strerror(errno));
		wanted->jobs->failed = true;
		return;
	}
	while ((entry = readdir(stream))) {
		if (owner == geteuid())
			socket_remove_aside(dir, entry->d_name);
		if ((number = pid_of(entry)) &&
		    socket_path(dir, number, path, sizeof(path)))
			jobs_add_socket(wanted->jobs, path, -1, number, owner);
	}
	closedir(stream);
}

void jobs_find(struct jobs *jobs)
{
	struct wanted wanted = {jobs, 0};
	char doubt[FOLDER_DOUBT_SIZE];

	memset(jobs, 0, sizeof(*jobs));
	folders_each(folder_search, &wanted, doubt);
	jobs_add_processes(jobs, 0);
	if (!jobs->failed && !descriptors_suffice()) {
		failure("too few descriptors (ulimit -n) to find every program");
		jobs->failed = true;
	}
	if (*doubt && (folder_chosen() || !jobs->count)) {
		failure("%s", doubt);
		jobs->failed = true;
	}
	if (jobs->count)
		qsort(jobs->list, (size_t)jobs->count, sizeof(*jobs->list),
		      compare);
}

/* The number in the file's name, which is the process's pid where it runs. */
static int number_of(const struct job *job)
{
	const char *name = strrchr(job->address.sun_path, '/');

	return name ? atoi(name + 1) : 0;
}

/* Keeps only the job with that pid, or that number. */
static bool jobs_pick(struct jobs *jobs, int pid, bool by_number)
{
	int kept = -1;

	for (int i = 0; i < jobs->count && kept < 0; i++)
		if ((by_number ? number_of(&jobs->list[i])
			       : jobs->list[i].pid) == pid)
			kept = i;
	if (kept < 0)
		return false;
	for (int i = 0; i < jobs->count; i++)
		if (i != kept)
			job_close(&jobs->list[i]);
	jobs->list[0] = jobs->list[kept];
	jobs->list[0].pid = pid;
	jobs->count = 1;
	return true;
}

bool jobs_find_one(struct jobs *jobs, int pid)
{
	struct wanted wanted = {jobs, pid};
	char doubt[FOLDER_DOUBT_SIZE];
	bool failed;

	memset(jobs, 0, sizeof(*jobs));
	folders_each(folder_search, &wanted, doubt);
	if (jobs_pick(jobs, pid, false))
		return true;
	jobs_add_processes(jobs, pid);
	if (jobs_pick(jobs, pid, false))
		return true;
	jobs_close(jobs);
	jobs_find(jobs);
	if (jobs_pick(jobs, pid, false) || jobs_pick(jobs, pid, true))
		return true;
	/* The others were not asked for. */
	failed = jobs->failed;
	jobs_close(jobs);
	jobs->failed = failed;
	return false;
}

void jobs_close(struct jobs *jobs)
{
	for (int i = 0; i < jobs->count; i++)
		job_close(&jobs->list[i]);
	free(jobs->list);
	memset(jobs, 0, sizeof(*jobs));
}

static json_t *arguments_json(int pid)
{
	char text[8192], plain[1024];
	const char *words[PROCESS_WORDS];
	int count = process_words(pid, text, sizeof(text), words);
	json_t *list = json_array(), *word;

	for (int i = 0; i < count; i++) {
		word = json_string(words[i]);
		if (!word)
			word = json_string(
				text_plain(words[i], plain, sizeof(plain)));
		json_array_append_new(list, word);
	}
	return list;
}

/* Adds what the kernel says, where the process has said nothing. */
static void about_add(const struct job *job, json_t *json)
{
	char comm[64] = "?";

	if (!job->peer)
		return;
	if (process_read(job->peer, "comm", comm, sizeof(comm)) > 0)
		comm[strcspn(comm, "\n")] = '\0';
	if (!json_is_string(json_object_get(json, "program")))
		json_object_set_new(
			json, "program",
			json_string(text_plain(comm, comm, sizeof(comm))));
	if (!json_is_array(json_object_get(json, "arguments")))
		json_object_set_new(json, "arguments",
				    arguments_json(job->peer));
	if (!json_is_integer(json_object_get(json, "start_time")))
		json_object_set_new(json, "start_time",
				    json_integer(process_start(job->peer)));
}

json_t *job_json(const struct job *job)
{
	static const char *const states[] = {"serves", "silent", "loaded",
					     "ended"};
	json_t *json = job->answer ? json_incref(job->answer) : json_object();

	about_add(job, json);
	if (!json_is_integer(json_object_get(json, "schema")))
		json_object_set_new(json, "schema",
				    json_integer(ANSWER_SCHEMA));
	if (!job->answer) {
		json_object_set_new(json, "devices", json_array());
		json_object_set_new(json, "error",
				    json_string(job_excuse(job)));
	}
	json_object_set_new(json, "pid", json_integer(job->pid));
	json_object_set_new(json, "uid", json_integer((json_int_t)job->uid));
	json_object_set_new(json, "state", json_string(states[job->state]));
	return json;
}

const char *job_title(const struct job *job, char *text, size_t size)
{
	json_t *json = job_json(job);

	field_title(json, text, size);
	json_decref(json);
	return text;
}

const char *job_excuse(const struct job *job)
{
	if (job->state == JOB_LOADED)
		return "loaded, no socket yet";
	if (*job->error)
		return job->error;
	if (job->peer && strchr("Tt", process_state(job->peer)))
		return "not answering (stopped)";
	return "not answering";
}

int job_failure(const struct job *job)
{
	char title[64];

	job_title(job, title, sizeof(title));
	return failure("pid %d%s%s%s: %s", job->pid,
		       strcmp(title, "?") ? " (" : "",
		       strcmp(title, "?") ? title : "",
		       strcmp(title, "?") ? ")" : "", job_excuse(job));
}
