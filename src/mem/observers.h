/* Tells each lower layer whom above it to call, and when. */
#ifndef MNM_OBSERVERS_H
#define MNM_OBSERVERS_H

/* May be called again. */
void observers_tell(void);

#endif
