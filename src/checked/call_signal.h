/* The signal by which a thread leaves a call. */
#ifndef MNM_CALL_SIGNAL_H
#define MNM_CALL_SIGNAL_H

#include <stdbool.h>

/* Signals that the calling thread blocks are for the program to read, if there
 * are others. To be called once, before there are calls. */
void call_signal_begin(void);

/* Chooses a real-time signal that the program makes no use of, and sets its
 * handler. Returns 0 if there is none. */
int call_signal(void);

/* Whether the calling thread blocks all of them, as our own threads do. */
bool call_signals_blocked(void);

/* Such a thread lets the signal through while a call runs, or stops to. The
 * first returns it, or 0 if it stays blocked; the second takes it. */
int call_signal_let(void);
void call_signal_stop(int let);

#endif
