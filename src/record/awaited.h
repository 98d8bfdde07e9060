/* Notes that are waited for until the recorder has written them. */
#ifndef MNM_RECORD_AWAITED_H
#define MNM_RECORD_AWAITED_H

#include <stdbool.h>
#include <stdint.h>

/* In any other thread than the recorder's: returns once all that was noted so
 * far is written, or after a tenth of a second. Takes no lock. */
void awaited_ask(void);

/* For the recorder: whether notes are waited for, and it has taken those up to
 * that time, in ticks; and that they are written. */
bool awaited_is_taken(uint64_t until);
void awaited_written(void);

#endif
