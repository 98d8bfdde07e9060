/* mnm plan PID --save FILE: the plan that a running program follows. */
#ifndef MNM_SAVE_H
#define MNM_SAVE_H

struct arguments;
struct command;

/* Asks the program for its plan, and writes it. Returns the exit status. */
int plan_save(const struct command *command, const struct arguments *arguments);

#endif
