/* Memory that is idle on a device without a request for some time. */
#ifndef MNM_UNUSED_H
#define MNM_UNUSED_H

/* Sends idle pinned memory back after MNM_HOST_IDLE seconds without a request
 * for any, and asks the giver for what is idle on a device after
 * MNM_DEVICE_IDLE seconds; to be called now and then, by one thread. Makes no
 * CUDA call. */
void unused_look(void);

#endif
