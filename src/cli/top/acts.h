/* What keys of `mnm top` do to the program that is selected. */
#ifndef MNM_ACTS_H
#define MNM_ACTS_H

struct top;

/* Shows the pools that the program knows, and swaps to the one that is chosen.
 */
void act_swap(struct top *top);

void act_trim(struct top *top);

/* Asks for a file, and records the program there; or ends its recording. */
void act_record(struct top *top);

#endif
