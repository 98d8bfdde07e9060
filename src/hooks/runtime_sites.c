/* Calls of a shared runtime that end in the driver's hooks, which do not see
 * who has made them. */
#include "cuda/real.h"
#include "hook.h"
#include "record/site.h"

/* A runtime may be so old that it lacks one: a program finds ours all the same,
 * and may call it. */
#define SITED(symbol, bytes, parameters, arguments) \
	EXPORT cudaError_t symbol parameters \
	{ \
		NOTES_CALLER(bytes); \
		const struct real_runtime *real = real_runtime(); \
\
		if (!real) \
			return cudaErrorInitializationError; \
		return real->symbol ? real->symbol arguments \
				    : cudaErrorNotSupported; \
	}
RUNTIME_SITED_LIST
