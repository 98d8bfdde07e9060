/* The names of all entries that the driver's headers have, as exported and as
 * cuGetProcAddress knows them, sorted; written by gen_work. */
#ifndef MNM_KNOWN_H
#define MNM_KNOWN_H

extern const char *const known_names[];
extern const unsigned known_count;

#endif
