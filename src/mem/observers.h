/* Those that want to hear of what lies below them. */
#ifndef MNM_OBSERVERS_H
#define MNM_OBSERVERS_H

/* They do, from now on. */
void observers_tell(void);

#endif
