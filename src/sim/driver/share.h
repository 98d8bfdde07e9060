/* Device memory as a file that other processes can be given. */
#ifndef SIM_SHARE_H
#define SIM_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a file that starts with `size` bytes of a device's memory, or
 * returns -1. */
int share_make(int device, size_t size);
/* Another descriptor of the file, or -1. */
int share_copy(int file);
/* Reads what share_make() was told. Returns false for any other file. */
bool share_read(int file, int *device, size_t *size);

#endif
