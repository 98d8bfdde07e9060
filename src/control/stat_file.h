/* The file of option stat_file. */
#ifndef MNM_STAT_FILE_H
#define MNM_STAT_FILE_H

/* If the option is set, the statistics are written there at exit; not by a
 * forked child, whose figures are its parent's. */
void stat_file_promise(void);

#endif
