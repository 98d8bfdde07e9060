/* Writes values as Python's pickle does, of protocol 2. What has been written
 * once can be named later by its number. */
#ifndef MNM_PICKLE_WRITE_H
#define MNM_PICKLE_WRITE_H

#include <stdint.h>
#include <stdio.h>

void pickle_begin(FILE *to);
void pickle_end(FILE *to);

void pickle_number(FILE *to, int64_t number);
void pickle_text(FILE *to, const char *text);

/* Between these stand keys and values. */
void pickle_dict(FILE *to);
void pickle_dict_end(FILE *to);

/* Between these stand parts, and in each of them some items. */
void pickle_list(FILE *to);
void pickle_part(FILE *to);
void pickle_part_end(FILE *to);

/* Gives what was written last a number; writes what has it once more. */
void pickle_remember(FILE *to, uint32_t number);
void pickle_again(FILE *to, uint32_t number);

#endif
