/* Requests to the control socket of this very process. */
#ifndef MNM_BENCH_ASK_H
#define MNM_BENCH_ASK_H

/* The line that asks for a command; see common/protocol.h. */
#define REQUEST(command) "{\"command\":\"" command "\"}\n"

/* Sends one request and reads its whole answer. Returns how many seconds that
 * took. Ends the program if there is no socket, or if the answer is an
 * error. */
double ask(const char *request);

#endif
