/* The tables that gen_entries writes: every export, and what each name and
 * version of cuGetProcAddress stands for. */
#ifndef SIM_NAMES_H
#define SIM_NAMES_H

struct call_name {
	const char *name;
	unsigned version; /* the CUDA version that brought it, or 0 */
};

struct proc_row {
	const char *name;
	unsigned version;
	int per_thread; /* for a per-thread default stream */
	unsigned id;    /* call_id of the entry */
	void *entry;
};

extern const struct call_name call_names[]; /* by call_id */
extern const struct proc_row proc_rows[];   /* by name, form, version */
extern const unsigned proc_count;

#endif
