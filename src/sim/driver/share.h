/* Device memory as a file that other processes can be given. */
#ifndef SIM_SHARE_H
#define SIM_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* A file with that many bytes of a device's memory at its start, or -1. */
int share_make(int device, size_t size);
/* Another number for it, or -1. */
int share_copy(int file);
/* What share_make() was told. False when it is another file. */
bool share_read(int file, int *device, size_t *size);

#endif
