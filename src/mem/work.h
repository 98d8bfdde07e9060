/* What the calling thread works on, as the program has named it. */
#ifndef MNM_WORK_H
#define MNM_WORK_H

enum { WORK_SIZE = 64 }; /* with the NUL */

/* Keeps what fits of the name, as text_plain writes it. NULL or "" ends it. */
void work_set(const char *name);

/* " (NAME)", or "" if the thread has none; for the end of a line. */
const char *work_text(char text[WORK_SIZE + 3]);

#endif
