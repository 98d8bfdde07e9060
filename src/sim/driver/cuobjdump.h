/* What the toolkit's cuobjdump shows of device code. The driver reads neither
 * fat binaries nor what a compiler writes into a cubin for NVIDIA's driver. */
#ifndef SIM_CUOBJDUMP_H
#define SIM_CUOBJDUMP_H

#include <stddef.h>

/* What the tool prints with that option about an image. The caller frees it.
 * NULL if the tool is missing or fails; a line on stderr, one in a process for
 * the first, says so. Starts a child process and waits for it. */
char *cuobjdump(const char *option, const void *image, size_t size);

#endif
