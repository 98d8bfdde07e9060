/* Events behind all work so far of several contexts, each asked for its end. */
#ifndef MNM_MARKS_H
#define MNM_MARKS_H

enum { MARKS_MAX = 64 };

struct context;
struct device;
struct CUevent_st;

struct marks {
	int count;
	struct mark {
		struct context *context;
		struct CUevent_st *event;
	} list[MARKS_MAX];
};

/* In each context that may use the device's memory, NULL: in all. Never waits
 * for work. A CUresult; FENCE_NOT_NOW: one can't be set now, or there is no
 * context; after an error none is set. */
int marks_set(struct marks *marks, const struct device *device);

/* CUDA_SUCCESS: all that work has ended. FENCE_NOT_NOW: it has not, or that
 * can't be asked now. */
int marks_ask(struct marks *marks);

void marks_drop(struct marks *marks);

#endif
