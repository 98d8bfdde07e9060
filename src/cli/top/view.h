/* The screen of `mnm top`. */
#ifndef MNM_VIEW_H
#define MNM_VIEW_H

struct top;

/* To be called once, when ncurses has the terminal. */
void view_open(void);

/* Draws everything, and notes how many rows the screen has. */
void view_draw(struct top *top);

#endif
