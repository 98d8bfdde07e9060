/* The file that the option stat_file names. */
#ifndef MNM_STAT_FILE_H
#define MNM_STAT_FILE_H

/* If the option is set, has the statistics written there at exit. A forked
 * child does not write them, as its figures are its parent's. */
void stat_file_promise(void);

#endif
