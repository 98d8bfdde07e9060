#include "postmortem.h"

#include <fcntl.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/output.h"
#include "cli/print.h"
#include "common/file_stat.h"
#include "postmortem_held.h"
#include "postmortem_print.h"

enum {
	VERSION = 1,
	BYTES_MOST = 1 << 20, /* of a file that is read */
};

bool postmortem_is(const char *path)
{
	struct stat st;
	char first = 0;
	int fd;

	if (file_stat(path, &st, 0) || !S_ISREG(st.st_mode) ||
	    st.st_size > BYTES_MOST)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &first, 1) != 1)
		first = 0;
	close(fd);
	return first == '{';
}

static int told_give(json_t *told, const struct arguments *arguments)
{
	static struct postmortem_held held; /* a summary is large */
	int status = EXIT_DONE;

	if (!postmortem_held_open(&held, told, arguments->stacks)) {
		status = failure("no memory");
	} else if (arguments->json) {
		postmortem_held_add(&held, told);
		json_print(told);
	} else {
		postmortem_print(told, &held);
	}
	if (held.calls)
		symbols_changed_tell(held.calls);
	postmortem_held_close(&held);
	return status;
}

/* A device that was asked for has to be the one of which it is. */
static bool device_is_meant(const json_t *told, int device)
{
	const json_t *own = json_object_get(told, "device");

	return device < 0 ||
	       device == (json_is_integer(own) ? (int)json_integer_value(own)
					       : MNM_RECORD_HOST);
}

int postmortem_report(const struct arguments *arguments, int device)
{
	char text[DEVICE_TEXT_SIZE];
	json_error_t error;
	json_t *told = json_load_file(arguments->recording, 0, &error);
	int64_t version = field_number(told, "mnm_postmortem");
	int status = EXIT_DONE;

	if (!told)
		status = failure("%s:%d: it is no JSON", arguments->recording,
				 error.line);
	else if (arguments->page)
		status = failure("%s: it is no recording, and has no page",
				 arguments->recording);
	else if (version < 0)
		status = failure("%s: it is no recording and no post-mortem",
				 arguments->recording);
	else if (version != VERSION)
		status = failure("%s: it has another version than 1",
				 arguments->recording);
	else if (!device_is_meant(told, device))
		status = failure("%s: there is nothing of %s in it",
				 arguments->recording,
				 device_text((unsigned int)device, text));
	else
		status = told_give(told, arguments);
	json_decref(told);
	return status;
}
