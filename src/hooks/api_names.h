/* The names of all entries in the driver's headers, both as exported and as
 * cuGetProcAddress knows them, sorted. gen_work writes the table. It holds no
 * pointers, as the loader would have to relocate each of them in every
 * process. */
#ifndef MNM_API_NAMES_H
#define MNM_API_NAMES_H

enum { KNOWN_SIZE = 64 };

extern const char api_names[][KNOWN_SIZE];
extern const unsigned known_count;

#endif
