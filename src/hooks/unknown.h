/* Entries that the headers lack, or later forms of such as are hooked. */
#ifndef MNM_UNKNOWN_H
#define MNM_UNKNOWN_H

/* What to hand out for CUDA's entry of that name, so that its calls are seen;
 * the entry itself where its name says that it only tells. */
void *unknown_entry_found(const char *name, void *entry);

#endif
