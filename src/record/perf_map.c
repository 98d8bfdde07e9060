#include "perf_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file_stat.h"
#include "modules.h"

enum {
	SITES_MOST = 1 << 14, /* addresses that are asked for; no more are */
	MAP_MOST = 1 << 26,   /* bytes; what follows is not read */
	PIECE = 1 << 16,      /* a longer line is passed over */
	TURN = 1 << 20,   /* bytes that are read before others have a turn */
	CALLS_MOST = 256, /* addresses that a line names */
	NAME_SIZE = 512,  /* with its end; the rest is cut off */
};

struct site {
	uint64_t address;
	char *text;   /* or NULL */
	uint64_t at;  /* of its name in the map, where one was met; or 0 */
	bool is_none; /* it is of no file */
	bool is_past; /* the map was read for it */
	bool is_told;
};

static struct {
	struct site *list; /* by rising address */
	size_t count, room;
} sites;

/* The newest lines are the last ones: of two for an address these are right, as
 * the first ones may be of a process that had the number before. */
static struct {
	bool is_open;
	int fd;
	uint64_t at, most; /* where it is read on, and where not any more */
	bool in_line;      /* that is too long */
	/* Up to where it was read, and which file that was. */
	uint64_t end;
	dev_t device;
	ino_t inode;
} map;

/* The first one that is above the address. */
static size_t place_above(uint64_t address)
{
	size_t low = 0, high = sites.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sites.list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_room(void)
{
	size_t room = sites.room ? 2 * sites.room : 64;
	struct site *more;

	if (sites.count < sites.room)
		return true;
	if (room > SITES_MOST)
		return false;
	more = realloc(sites.list, room * sizeof(*more));
	if (!more)
		return false;
	sites.list = more;
	sites.room = room;
	return true;
}

static void site_want(uint64_t site)
{
	size_t place = place_above(site);

	if ((place && sites.list[place - 1].address == site) || !has_room())
		return;
	memmove(&sites.list[place + 1], &sites.list[place],
		(sites.count - place) * sizeof(*sites.list));
	sites.list[place] = (struct site){.address = site};
	sites.count++;
}

bool perf_map_meet(uint64_t site)
{
	if (modules_know(site))
		return true;
	site_want(site);
	return false;
}

/* Forgets those that a file has after all. Returns whether names are wanted;
 * anew: the map was not read for some of them. */
static bool sites_settle(bool *anew)
{
	size_t kept = 0;
	bool wanted = false;

	*anew = false;
	for (size_t i = 0; i < sites.count; i++) {
		struct site *site = &sites.list[i];

		if (!site->is_none && modules_have(site->address))
			continue;
		site->is_none = true;
		wanted |= !site->text;
		*anew |= !site->is_past;
		sites.list[kept++] = *site;
	}
	sites.count = kept;
	return wanted;
}

/* The file's folder is everybody's. */
static int map_open(struct stat *about)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	fd = open(path,
		  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!file_stat_open(fd, about) && S_ISREG(about->st_mode) &&
	    about->st_uid == geteuid())
		return fd;
	close(fd);
	return -1;
}

void perf_map_look(void)
{
	bool anew;
	struct stat about;
	uint64_t size;
	int fd;

	if (map.is_open || !sites_settle(&anew) || (fd = map_open(&about)) < 0)
		return;
	size = (uint64_t)about.st_size;
	anew |= about.st_dev != map.device || about.st_ino != map.inode ||
		size < map.end;
	map.at = anew ? 0 : map.end;
	map.most = size < MAP_MOST ? size : MAP_MOST;
	if (map.at >= map.most) {
		close(fd);
		return;
	}
	map.fd = fd;
	map.device = about.st_dev;
	map.inode = about.st_ino;
	map.in_line = false;
	map.is_open = true;
	for (size_t i = 0; i < sites.count; i++)
		sites.list[i].is_past = true;
}

/* Notes where the name of these is. A call returns to behind it, and may be the
 * last of its function. */
static void sites_meet(uint64_t start, uint64_t size, uint64_t at)
{
	size_t first = place_above(start);

	for (size_t i = first; i < sites.count && i - first < CALLS_MOST; i++) {
		struct site *site = &sites.list[i];

		if (site->address - start > size)
			return;
		/* Another one may be of a file. */
		if (site->is_past)
			site->at = at;
	}
}

static int digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	letter |= ' ';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* A hexadecimal number, and the spaces behind it. */
static bool number_read(const char **at, const char *end, uint64_t *number)
{
	const char *first;

	if (end - *at > 2 && **at == '0' && ((*at)[1] | ' ') == 'x')
		*at += 2;
	*number = 0;
	for (first = *at; *at < end && digit_of(**at) >= 0; ++*at)
		*number = *number << 4 | (uint64_t)digit_of(**at);
	if (*at == first || *at - first > 16 || *at == end || **at != ' ')
		return false;
	while (*at < end && **at == ' ')
		++*at;
	return true;
}

/* A line of the map, without its end, which is at that byte of it. */
static void line_read(const char *line, const char *end, uint64_t at)
{
	const char *name = line;
	uint64_t start, size;

	if (number_read(&name, end, &start) && number_read(&name, end, &size) &&
	    name < end)
		sites_meet(start, size, at + (uint64_t)(name - line));
}

/* Returns how many of the bytes were read: whole lines, or 0 at the map's end.
 */
static size_t piece_read(const char *piece, size_t size)
{
	const char *line = piece, *end;

	while ((end = memchr(line, '\n', size - (size_t)(line - piece)))) {
		if (!map.in_line)
			line_read(line, end, map.at + (uint64_t)(line - piece));
		map.in_line = false;
		line = end + 1;
	}
	if (line == piece && size == PIECE) {
		map.in_line = true;
		return size;
	}
	return (size_t)(line - piece);
}

/* CPython's are py::FUNCTION:FILE. */
static char *text_of(const char *name)
{
	const char *function = strncmp(name, "py::", 4) ? NULL : name + 4;
	const char *file = function ? strchr(function, ':') : NULL;
	char *text;
	int length;

	if (file && file[1])
		length = asprintf(&text, "%s\t%.*s", file + 1,
				  (int)(file - function), function);
	else
		length = asprintf(&text, "[JIT]\t%s", name);
	return length < 0 ? NULL : text;
}

/* Returns NULL if there is none any more. */
static char *name_read(uint64_t at)
{
	char name[NAME_SIZE];
	ssize_t got = pread(map.fd, name, sizeof(name) - 1, (off_t)at);
	char *end;

	if (got <= 0)
		return NULL;
	end = memchr(name, '\n', (size_t)got);
	if (!end)
		end = name + got;
	*end = '\0';
	for (char *each = name; each < end; each++)
		if ((unsigned char)*each < ' ' || *each == '\x7f')
			*each = '?';
	return end > name ? text_of(name) : NULL;
}

static void names_read(void)
{
	for (size_t i = 0; i < sites.count; i++) {
		struct site *site = &sites.list[i];

		if (site->at && !site->text)
			site->text = name_read(site->at);
		site->at = 0;
	}
}

static void names_tell(perf_map_each_function *each)
{
	for (size_t i = 0; i < sites.count; i++) {
		struct site *site = &sites.list[i];

		if (site->text && !site->is_told)
			each(site->address, site->text);
		site->is_told = site->text;
	}
}

static void map_close(void)
{
	/* A child that is forked meanwhile must not close what has its number
	 * by then. */
	map.is_open = false;
	atomic_signal_fence(memory_order_seq_cst);
	close(map.fd);
	map.end = map.at;
}

bool perf_map_read(perf_map_each_function *each)
{
	static char piece[PIECE];
	size_t used;

	if (!map.is_open)
		return false;
	for (size_t done = 0; done < TURN && map.at < map.most; done += used) {
		ssize_t got =
			pread(map.fd, piece, sizeof(piece), (off_t)map.at);

		used = got > 0 ? piece_read(piece, (size_t)got) : 0;
		map.at += used;
		if (!used)
			map.most = map.at;
	}
	if (map.at < map.most)
		return true;
	names_read();
	map_close();
	names_tell(each);
	return false;
}

void perf_map_end(perf_map_each_function *each)
{
	/* What is being read may have begun before the last were asked for. */
	while (perf_map_read(each))
		;
	perf_map_look();
	while (perf_map_read(each))
		;
}

void perf_map_each(perf_map_each_function *each)
{
	for (size_t i = 0; i < sites.count; i++)
		if (sites.list[i].text)
			each(sites.list[i].address, sites.list[i].text);
}

void perf_map_forget(void)
{
	for (size_t i = 0; i < sites.count; i++)
		free(sites.list[i].text);
	free(sites.list);
	perf_map_drop();
}

void perf_map_drop(void)
{
	if (map.is_open)
		close(map.fd);
	memset(&sites, 0, sizeof(sites));
	memset(&map, 0, sizeof(map));
}
