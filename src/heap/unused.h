/* Idle memory of a device that has had no request for some time. */
#ifndef MNM_UNUSED_H
#define MNM_UNUSED_H

struct config;

/* Sends idle pinned memory back after host_idle seconds without a request for
 * any. Asks the giver to give back what is idle on a device after device_idle
 * seconds. To be called now and then, by one thread. Makes no CUDA call. */
void unused_look(const struct config *config);

#endif
