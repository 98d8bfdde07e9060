/* The file of a record, as it is written. It holds at most so many bytes: once
 * half of them are written, that part becomes PATH.before, in place of an older
 * one, and PATH begins anew. When the record ends, both become one. */
#ifndef MNM_RECORD_FILE_H
#define MNM_RECORD_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define RECORD_MAGIC      "mnm record "
#define RECORD_FIRST_LINE RECORD_MAGIC "1\n"
/* How the second line begins: a number that the parts of one record share, and
 * the number of the part. */
#define RECORD_SECOND_LINE "{\"id\":\"%016llx\",\"part\":%u,"
#define RECORD_BEFORE      ".before"

enum {
	RECORD_LINE_MOST = 1 << 16, /* bytes of the second line */
};

struct record_file {
	int fd; /* -1: it is closed */
	char path[PATH_MAX], before[PATH_MAX];
	char *about; /* the rest of the second line */
	uint64_t id, size, most;
	unsigned int part;
	bool has_before;
};

/* Begins a file, in place of a recording that has been there. about: a JSON
 * object. Returns 0 or an errno. EBUSY: another process writes it. EEXIST:
 * there is something else than a recording. */
int record_file_open(struct record_file *file, const char *path, uint64_t most,
		     const char *about);

/* Whether a frame of so many bytes has no place in this part. */
bool record_file_is_full(const struct record_file *file, size_t size);

/* Whether somebody has removed it: nobody would ever read what follows. */
bool record_file_is_gone(const struct record_file *file);

/* Begins the next part, which has to be understood without the others. Both
 * return 0 or an errno; the file ends with its last whole frame then. */
int record_file_turn(struct record_file *file);
int record_file_append(struct record_file *file, const struct bytes *frame);

/* Returns 0, or an errno if what there is could not be made one file. */
int record_file_close(struct record_file *file);

#endif
