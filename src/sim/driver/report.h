#ifndef SIM_REPORT_H
#define SIM_REPORT_H

/* Writes what is live, what was called and the time taken, as text. */
void report_write(const char *path);

#endif
