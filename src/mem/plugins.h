/* The plug-ins of MNM_POOL_PLUGINS in this process.
 *
 * The first request may come from the constructor of a library that is being
 * loaded: its thread holds the loader's lock. If another thread opened plug-ins
 * under a lock of ours, the two would wait for each other. So each thread that
 * comes before the options are read opens the plug-ins for itself, without a
 * lock of ours. One of them adds what it has opened, and the others let go of
 * theirs. */
#ifndef MNM_PLUGINS_H
#define MNM_PLUGINS_H

#include <stdbool.h>

/* Opens the plug-ins for the calling thread. Returns false in what a plug-in
 * calls meanwhile, its constructor for example: that is for CUDA. */
bool mem_plugins_open(void);

/* Adds those of the calling thread to the pools. Called once. */
void mem_plugins_add(void);

/* Says which of those that were added are refused. */
void mem_plugins_say(void);

/* Lets go of those of the calling thread, unless it has added them. */
void mem_plugins_drop(void);

#endif
