/* Where addresses come from, and the sets of origins that a register or a
 * piece of memory may hold addresses of. For ptx_kernel_uses(). */
#ifndef SIM_PTX_ORIGINS_H
#define SIM_PTX_ORIGINS_H

#include "reach.h"

/* The first origins are the same in each kernel. */
enum ptx_origin_index {
	PTX_FROM_LOCAL,   /* addresses of local variables and parameters */
	PTX_FROM_SHARED,  /* of shared ones */
	PTX_FROM_NOWHERE, /* of what malloc() made, and the like */
	PTX_FROM_FIRST,   /* the parameters and variables */
};

/* What a kernel is given. */
struct ptx_origin {
	size_t param, offset; /* SIZE_MAX, 0 for a variable */
	const struct ptx_variable *variable;
	unsigned int flags; /* of enum ptx_use_flag */
};

/* Each origin has two bits in a set: addresses in it, and addresses that were
 * read from the memory there. */
struct ptx_origins {
	struct ptx_origin *list;
	size_t count;
	size_t words; /* uint64_t of a set */
	unsigned int elsewhere;
	const uint64_t *scratch; /* sets from here on may change unnoticed */
	bool changed;            /* a set grew in this pass */
	bool recording;          /* sets are complete: flags count now */
};

/* Lists what a kernel may be given: each aligned 8 bytes of its parameters and
 * each variable that it reaches. False if memory is short. */
bool ptx_origins_open(struct ptx_origins *origins,
		      const struct ptx_function *kernel,
		      const struct ptx_reach *reach);
void ptx_origins_close(struct ptx_origins *origins);

/* The origin of a kernel's parameter at these bytes, or of a variable; SIZE_MAX
 * if there is none. */
size_t ptx_origin_param(const struct ptx_origins *origins, size_t param,
			size_t offset);
size_t ptx_origin_variable(const struct ptx_origins *origins,
			   const struct ptx_variable *variable);

/* to |= from */
void ptx_set_join(struct ptx_origins *origins, uint64_t *to,
		  const uint64_t *from);
void ptx_set_add(struct ptx_origins *origins, uint64_t *to, size_t origin);
bool ptx_set_has(const uint64_t *set, size_t origin);
/* to |= what may be read from memory at the addresses in `from` */
void ptx_set_join_read(struct ptx_origins *origins, uint64_t *to,
		       const uint64_t *from);
/* Memory at these addresses is used in this way. */
void ptx_set_use(struct ptx_origins *origins, const uint64_t *set,
		 unsigned int flags);

#endif
