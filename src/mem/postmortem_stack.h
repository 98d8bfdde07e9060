/* The code that asked, for the post-mortem. */
#ifndef MNM_POSTMORTEM_STACK_H
#define MNM_POSTMORTEM_STACK_H

/* Writes the calling thread's stack, from the code on that has called this
 * library or a shared runtime of CUDA's; and the files that it is in. */
void postmortem_put_stack(void);

#endif
