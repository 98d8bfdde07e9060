#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/text.h"
#include "terminal.h"

/* Until a lone escape character is known to be the key: sequences of other keys
 * may come in pieces. */
enum { ESCAPE_MS = 100 };

static const char instead[] = "`mnm ps --watch` needs none";

static volatile sig_atomic_t ended;
static sigset_t waiting; /* the signals that are blocked in terminal_wait */
static int stderr_own = -1, said = -1;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

/* Signals come only during terminal_wait. That of a new size has the handler of
 * ncurses. */
static void signals_take(void)
{
	static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = end};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaction(ends[i], &action, NULL);
		sigaddset(&set, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &waiting);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigdelset(&waiting, ends[i]);
	sigdelset(&waiting, SIGWINCH);
}

/* A line on stderr would stand anywhere on the screen. */
static void stderr_take(void)
{
	said = memfd_create("mnm-said", MFD_CLOEXEC);
	if (said < 0)
		return;
	stderr_own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (stderr_own >= 0)
		dup2(said, STDERR_FILENO);
}

static void stderr_give_back(void)
{
	if (stderr_own < 0)
		return;
	dup2(stderr_own, STDERR_FILENO);
	close(stderr_own);
	stderr_own = -1;
}

char *terminal_said(char *text, size_t size)
{
	static const char name[] = "mnm: ";
	char all[4096];
	ssize_t got;
	char *line;

	*text = '\0';
	got = said < 0 ? 0 : pread(said, all, sizeof(all) - 1, 0);
	if (got <= 0)
		return text;
	if (!ftruncate(said, 0))
		lseek(said, 0, SEEK_SET);
	all[got] = '\0';
	all[strcspn(all, "\n")] = '\0';
	line = strncmp(all, name, strlen(name)) ? all : all + strlen(name);
	return text_plain(line, text, size);
}

/* Whether the terminal's type is one on which a place can be written to. */
static bool type_suits(void)
{
	const char *type = getenv("TERM");
	char plain[64];
	int known;
	bool suits;

	if (!type || !*type) {
		failure("TERM does not say what terminal this is; %s", instead);
		return false;
	}
	text_plain(type, plain, sizeof(plain));
	if (setupterm(NULL, STDOUT_FILENO, &known)) {
		failure("TERM=%s: nothing is known here of such a terminal; %s",
			plain, instead);
		return false;
	}
	suits = cursor_address != NULL;
	del_curterm(cur_term);
	if (!suits)
		failure("TERM=%s: on such a terminal nothing can be moved; %s",
			plain, instead);
	return suits;
}

bool terminal_open(void)
{
	const char *colour = getenv("NO_COLOR");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		failure("top needs a terminal, for input and output; %s",
			instead);
		return false;
	}
	setlocale(LC_CTYPE, "");
	if (!type_suits())
		return false;
	signals_take();
	use_tioctl(TRUE); /* COLUMNS and LINES may be old */
	if (!newterm(NULL, stdout, stdin)) {
		failure("the terminal can't be used; %s", instead);
		return false;
	}
	atexit(terminal_close);
	stderr_take();
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	if (has_colors() && !(colour && *colour)) {
		start_color();
		use_default_colors();
	}
	return true;
}

void terminal_close(void)
{
	if (stdscr && !isendwin())
		endwin();
	stderr_give_back();
}

bool terminal_wait(int fd, int64_t ms)
{
	struct timespec most = {ms > 0 ? ms / 1000 : 0,
				ms > 0 ? ms % 1000 * 1000000 : 0};
	struct pollfd polls[] = {{.fd = STDIN_FILENO, .events = POLLIN},
				 {.fd = fd, .events = POLLIN}};

	if (ppoll(polls, 2, &most, &waiting) < 0)
		return !ended;
	return !ended && !(polls[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}
