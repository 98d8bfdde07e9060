/* Entries that the headers lack, and later forms of entries that are hooked. */
#ifndef MNM_UNKNOWN_H
#define MNM_UNKNOWN_H

/* Returns what to hand out for CUDA's entry of that name: a stub that notes its
 * calls, or the entry itself if its name says that it only queries something,
 * or if there are no more stubs. */
void *unknown_entry_found(const char *name, void *entry);

#endif
