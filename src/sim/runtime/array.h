#ifndef MNM_SIM_RUNTIME_ARRAY_H
#define MNM_SIM_RUNTIME_ARRAY_H

#include <stddef.h>

#include <driver_types.h>

/* Sets *bytes to the size of one of the array's elements. Returns a
 * CUresult. */
int array_element(cudaArray_const_t array, size_t *bytes);
/* The same for one of its rows. */
int array_row(cudaArray_const_t array, size_t *bytes);

/* The driver's format and number of channels, and back again.
 * cudaErrorInvalidChannelDescriptor if it has none. */
int channel_read(const struct cudaChannelFormatDesc *desc, unsigned *format,
		 unsigned *channels);
struct cudaChannelFormatDesc channel_of(unsigned format, unsigned channels);

#endif
