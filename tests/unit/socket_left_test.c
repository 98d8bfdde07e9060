#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/protocol.h"
#include "run.h"

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char folder[] = "/tmp/mnm-left-XXXXXX";
static int listener = -1;
static bool begins; /* a process begins once nobody was found to listen */

static int socket_bound(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (const struct sockaddr *)at, sizeof(*at)), 0);
	return fd;
}

/* Puts a socket there as a process that begins does. */
static void process_begins(void)
{
	struct sockaddr_un early = address;

	strcpy(strrchr(early.sun_path, '.'), ".new");
	listener = socket_bound(&early);
	ck_assert_int_eq(listen(listener, 5), 0);
	ck_assert_int_eq(rename(early.sun_path, address.sun_path), 0);
}

/* Replaces libc's function. */
int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	int res = (int)syscall(SYS_connect, fd, to, size), error = errno;

	if (res && begins) {
		begins = false;
		process_begins();
	}
	errno = error;
	return res;
}

static bool answers(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int res = connect(fd, (struct sockaddr *)&address, sizeof(address));

	close(fd);
	return !res;
}

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert(socket_path(folder, 12345, address.sun_path,
			      sizeof(address.sun_path)));
	close(socket_bound(&address));
}

START_TEST(what_nobody_listens_at_is_removed)
{
	begin();
	socket_remove_left(address.sun_path);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(a_process_that_begins_meanwhile_keeps_its_own)
{
	begin();
	begins = true;
	socket_remove_left(address.sun_path);
	ck_assert_int_ge(listener, 0);
	ck_assert(answers());
	ck_assert_int_eq(unlink(address.sun_path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_nobody_listens_at_is_removed,
		a_process_that_begins_meanwhile_keeps_its_own, NULL};

	return tests_run("sockets that are left", tests);
}
