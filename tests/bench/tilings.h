/* Problems of placement whose best peak is known: rectangles that fill a larger
 * one without a gap. */
#ifndef MNM_TEST_TILINGS_H
#define MNM_TEST_TILINGS_H

#include "plan/plan.h"

/* Fills in count buffers that tile height addresses for width units of time;
 * both have to be at least 2^12. The same seed gives the same tiling. The order
 * of the buffers says nothing about their places. */
void tiling_draw(uint64_t seed, struct plan_buffer *buffers, size_t count,
		 uint64_t width, uint64_t height);

#endif
