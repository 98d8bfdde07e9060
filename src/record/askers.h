/* Who has asked for the blocks that live: a part of a recording whose beginning
 * has gone still says so. */
#ifndef MNM_RECORD_ASKERS_H
#define MNM_RECORD_ASKERS_H

#include "mnm/record.h"

enum { ASKERS_MOST = 1 << 18 }; /* blocks; of others nothing is known */

/* Is to be told of all events, as they come from rings. */
void askers_follow(const struct mnm_record_event *event);

/* Gives a block that lives what is known of its request: the site or the
 * stack, the thread, the stream. */
void asker_tell(struct mnm_record_event *live);

void askers_forget(void);

#endif
