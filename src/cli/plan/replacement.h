/* A file that is written in the place of another. */
#ifndef MNM_REPLACEMENT_H
#define MNM_REPLACEMENT_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* A regular file, or one that is not there yet, is written under another name
 * beside it and then takes its place at once. So nobody sees half of it, and if
 * it fails the old one stays. Devices, pipes and links are written where they
 * are. */
struct replacement {
	const char *path;
	char beside[PATH_MAX]; /* empty if it is written where it is */
	FILE *file;
	sigset_t before; /* what was blocked */
};

/* Whether a file can be written there, so far as that can be known without
 * writing, while `read` is read, unless that is NULL: it must not be the same,
 * nor the first part of a recording of two. If not, prints so. */
bool replacement_possible(const char *path, const char *read);

/* Opens the file. On failure prints a line and returns NULL; there is nothing
 * to end then. Until the end, signals wait. */
FILE *replacement_begin(struct replacement *replacement, const char *path);

/* Whether a signal waits that would end this process. */
bool replacement_is_stopped(const struct replacement *replacement);

/* Puts the file in its place. On failure, also of what was written before,
 * prints a line and returns false. */
bool replacement_end(struct replacement *replacement);

/* Leaves the old file as it is. */
void replacement_drop(struct replacement *replacement);

#endif
