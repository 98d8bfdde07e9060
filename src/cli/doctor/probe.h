/* What doctor does in a process of its own, under the library. */
#ifndef MNM_PROBE_H
#define MNM_PROBE_H

/* Loads CUDA, asks for its entries as programs do, allocates and frees, and
 * asks its own control socket. Prints one fact a line, KEY VALUE, each as soon
 * as it is known: if the probe hangs or crashes, the last line says how far it
 * came. Returns the status to exit with. */
int probe_run(void);

/* The facts, a row each: FACT(name), printed as a line "name value". */
/* clang-format off */
#define FACT_LIST \
FACT(library)        /* path of libmnm.so in the probe */ \
FACT(no_driver)      /* why there is none */ \
FACT(driver)         /* path */ \
FACT(simulated)      /* the driver is mnm's own */ \
FACT(driver_version) /* as cuDriverGetVersion tells it */ \
FACT(by_dlsym)       /* 1: dlsym answers with our entry */ \
FACT(by_table)       /* 1: so does cuGetProcAddress; 0: CUDA's own */ \
FACT(init_error)     /* of cuInit, or of the first device's context */ \
FACT(asked)          /* requests to the driver */ \
FACT(refused)        /* the driver's error for one of them */ \
FACT(runtime)        /* name of a shared runtime */ \
FACT(by_runtime)     /* 1: it answers with our cudaMalloc */ \
FACT(runtime_error)  /* of its cudaMalloc */ \
FACT(runtime_asked)  /* requests to it */ \
FACT(no_socket)      /* why the control socket did not answer */ \
FACT(served)         /* requests, as the control socket says */ \
FACT(ordered_asked)  /* requests in the order of a stream */ \
FACT(ordered_error)  /* the driver's error for one of them */ \
FACT(ordered_served) /* as the control socket says */ \
FACT(done)
/* clang-format on */

#endif
