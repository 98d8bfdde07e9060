/* The control thread: how it starts, what it does, and when it leaves. */
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "about.h"
#include "mem/config.h"
#include "control.h"
#include "preload/fd_table.h"
#include "heap/giver.h"
#include "heap/planner.h"
#include "listener.h"
#include "preload/loader.h"
#include "common/log.h"
#include "common/protocol.h"
#include "recording.h"
#include "server.h"
#include "stat_file.h"
#include "preload/syscall_filter.h"
#include "mem/mem_log.h"
#include "preload/thread.h"
#include "heap/unused.h"
#include "common/version.h"
#include "wake.h"

enum {
	STACK_SIZE = 256 << 10,
	LOOK_AROUND_MS = 2000, /* for unused memory */
	LOOK_ALONE_MS = 50,    /* also for a main thread that has ended */
	LEAVE_SECONDS = 2,     /* for which a main thread waits for this one */
};

/* How the start goes, for the thread that waits for it. */
struct start {
	bool apart; /* it may have its own table of descriptors */
	bool open;
	_Atomic int over; /* a futex */
	char error[256];
};

static int wake = -1;
static bool apart;
static pthread_t helper;
static pid_t process;
static bool has_socket;
static _Atomic bool leaving;

/* Whether the thread has to leave: once the program's main thread has left by
 * pthread_exit. The last thread of a process runs the program's exit handlers,
 * and that must be one of the program's own threads: this one may have none of
 * the program's descriptors. */
static bool has_to_leave(void)
{
	if (apart)
		return atomic_load(&leaving);
	return thread_main_ended();
}

static void start_end(struct start *start, bool open)
{
	start->open = open;
	atomic_store(&start->over, 1);
	/* `start` may be gone by now; then nobody waits at its address. */
	syscall(SYS_futex, &start->over, FUTEX_WAKE_PRIVATE, 1, NULL);
}

/* A signal that the program blocks and leaves pending would wake this thread
 * again and again, so the descriptor is closed then. */
static void wake_look(void)
{
	if (wake < 0 || !wake_came() || has_to_leave())
		return;
	close(wake);
	wake = -1;
}

static void *helper_run(void *arg)
{
	struct start *start = arg;
	bool open;

	prctl(PR_SET_NAME, "mnm-control");
	apart = start->apart && fd_table_part();
	if (apart)
		wake = wake_open();
	else
		thread_detach();
	about_open();
	open = server_open(start->error, sizeof(start->error));
	if (open)
		recording_open();
	if (open && apart)
		listener_keep(); /* the program may change its root next */
	start_end(start, open);
	if (!open && apart)
		thread_detach();
	else if (apart)
		listener_sweep();
	while (open && !has_to_leave()) {
		if (!server_turn(wake,
				 recording_turn_ms(wake < 0 ? LOOK_ALONE_MS
							    : LOOK_AROUND_MS)))
			break;
		recording_turn();
		wake_look();
		unused_look(config_current());
		planner_tick();
	}
	recording_close();
	giver_leave();
	listener_leave();
	server_close();
	return NULL;
}

static void helper_end(void)
{
	atomic_store(&leaving, true);
	wake_send();
	thread_join(helper, LEAVE_SECONDS);
}

/* Runs in the main thread as it leaves by pthread_exit. */
static void main_leaves(void *unused)
{
	(void)unused;
	if (getpid() == process)
		helper_end();
}

/* Runs as the process exits. If the program has changed its root, only the
 * control thread can reach the socket's file. */
static void process_leaves(void)
{
	if (getpid() == process) /* not in a child that was made unseen */
		recording_leave();
	if (!listener_unlink() && apart)
		helper_end();
}

/* Runs in a forked child: the sockets belong to the parent. */
static void child_forget(void)
{
	recording_forget();
	if (!apart)
		server_close();
}

static bool helper_start(char *error, size_t size)
{
	static struct thread_key main_key;
	struct start start = {.apart = false};
	int res;

	if (syscall_filter_kills_socket()) {
		snprintf(error, size,
			 "a filter of system calls may kill for it");
		return false;
	}
	process = getpid();
	if (thread_is_main())
		thread_key_open(&main_key, main_leaves);
	start.apart = main_key.open;
	res = thread_start(helper_run, &start, STACK_SIZE, &helper);
	if (res) {
		snprintf(error, size, "no thread: %s", strerror(res));
		return false;
	}
	while (!atomic_load(&start.over))
		syscall(SYS_futex, &start.over, FUTEX_WAIT_PRIVATE, 0, NULL);
	snprintf(error, size, "%s", start.error);
	if (start.open && apart)
		thread_key_set(&main_key, &helper);
	if (start.open && config_current()->device_idle)
		giver_allow();
	return start.open;
}

static void serving_tell(void)
{
	const struct config *config = config_current();
	char pools[256];

	config_text(config, option_find("pool"), pools, sizeof(pools));
	log_info("mnm %s serves this program: pool %s, fence %s; socket %s",
		 MNM_VERSION, pools, fence_names[config->fence],
		 listener_path());
}

static void taker_tell(void)
{
	const char *taker = loader_taker_behind();

	if (taker)
		log_warn("%s, a preload, takes CUDA's memory calls as well and "
			 "is not asked: put it before mnm, as `mnm run` does",
			 taker);
}

static void control_open(void)
{
	int saved = errno; /* the program's, as its call did not fail */
	char error[256];

	pthread_atfork(NULL, NULL, child_forget);
	has_socket = helper_start(error, sizeof(error));
	if (has_socket) {
		atexit(process_leaves);
		serving_tell();
	} else {
		if (*config_current()->stat_file)
			about_open(); /* it reads files, so only if needed */
		log_warn("no control socket: %s", error);
		recording_cannot("there is no control thread");
	}
	taker_tell();
	stat_file_promise();
	if (log_shows(LOG_INFO))
		atexit(mem_log_figures);
	errno = saved;
}

void control_open_once(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, control_open);
}

bool control_folder(char *folder, size_t size, char *error, size_t error_size)
{
	if (config_once()) /* it may be the program's first call */
		control_open_once();
	if (!has_socket) {
		snprintf(error, error_size, "there is no control socket");
		return false;
	}
	return listener_folder(folder, size) &&
	       socket_dir_check(folder, error, error_size);
}
