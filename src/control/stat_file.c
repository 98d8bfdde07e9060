#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "log.h"
#include "mem.h"
#include "stat_file.h"

/* Writes the path with %p replaced by the pid. */
static void path_expand(const char *from, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	while (*from && used + 1 < size) {
		if (from[0] == '%' && from[1] == 'p') {
			used += (size_t)snprintf(to + used, size - used, "%d",
						 (int)getpid());
			from += 2;
			continue;
		}
		to[used++] = *from++;
		to[used] = '\0';
	}
}

static void stat_file_write(void)
{
	char path[sizeof(config_current()->stat_file) + 16], *text;
	bool written;
	FILE *file;

	if (!mem_enabled())
		return;
	path_expand(config_current()->stat_file, path, sizeof(path));
	text = command_stat_json();
	file = fopen(path, "we");
	written = file && text && fprintf(file, "%s\n", text) > 0;
	if (file && fclose(file))
		written = false; /* a full disk shows here */
	if (!written)
		log_warn("statistics not written to %s: %s", path,
			 strerror(errno));
	free(text);
}

void stat_file_promise(void)
{
	if (*config_current()->stat_file)
		atexit(stat_file_write);
}
