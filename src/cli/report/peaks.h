/* Who held the blocks that lived at each device's peak. */
#ifndef MNM_PEAKS_H
#define MNM_PEAKS_H

#include "summary.h"

/* Reads the recording from its beginning up to the last of the peaks that are
 * in the summary, to which it adds their holders. */
void peaks_read(struct summary *summary, struct mnm_record *record);

#endif
