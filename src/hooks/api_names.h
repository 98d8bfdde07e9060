/* The names of all entries that the driver's headers have, as exported and as
 * cuGetProcAddress knows them, sorted; written by gen_work. No pointers: the
 * loader would relocate each in every process. */
#ifndef MNM_API_NAMES_H
#define MNM_API_NAMES_H

enum { KNOWN_SIZE = 64 };

extern const char api_names[][KNOWN_SIZE];
extern const unsigned known_count;

#endif
