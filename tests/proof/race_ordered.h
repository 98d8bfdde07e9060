/* What races about memory in the order of streams begin with. */
#ifndef TESTS_PROOF_RACE_ORDERED_H
#define TESTS_PROOF_RACE_ORDERED_H

#include <stdatomic.h>

#include "race.h"

enum { REUSED = 4 }; /* blocks that are asked for after the race */

extern CUcontext context;
extern CUstream freeing, recording, waiting; /* none waits for another */
extern CUevent event;
extern atomic_bool begun; /* the thread that is left goes ahead */

CUdeviceptr asked(CUstream stream);
void fill(CUdeviceptr addr, CUstream stream);
void freed(CUdeviceptr addr, CUstream stream);
CUdeviceptr asked_and_filled(CUstream stream);
CUstream stream_new(void);

/* In the second thread: waits until the first has begun. */
void begun_wait(void);

/* Before the race: there is a context; there are the streams, of which none has
 * a number yet; the same, and no thread keeps to itself what it frees; and
 * there are a block of the third stream and freed ones of the others, and the
 * event stands behind what was freed in the first. */
void before_alone(void);
void before_cached(void);
void before_any(void);
void before_record(void);

/* Asks for blocks in the third stream, and uses them. */
void reuse(void);
void wait_and_reuse(void);

#define SERVED "MNM_STREAM_ORDERED", "1"

#endif
