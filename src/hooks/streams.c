/* Streams that come and go. */
#include "call.h"
#include "context/context.h"
#include "hook.h"
#include "mem/mem.h"
#include "order/streams.h"

/* Notes a stream that was made in the current context. */
static CUresult stream_hook_made(CUresult res, unsigned int flags)
{
	if (!res && mem_serves_streams())
		stream_made(context_current(),
			    !(flags & CU_STREAM_NON_BLOCKING));
	return res;
}

EXPORT CUresult cuStreamCreate(CUstream *out, unsigned int flags)
{
	return stream_hook_made(ROOM_CALL(cuStreamCreate, out, flags), flags);
}

EXPORT CUresult cuStreamCreateWithPriority(CUstream *out, unsigned int flags,
					   int priority)
{
	return stream_hook_made(
		ROOM_CALL(cuStreamCreateWithPriority, out, flags, priority),
		flags);
}
