#include "passed.h"

#include "context/context.h"
#include "heap/noted.h"
#include "record/ring.h"

static const struct device *device_now(void)
{
	const struct context *context = context_current();

	return context ? context->device : NULL;
}

void passed_note(const unsigned long long *addr, size_t size, int result)
{
	if (record_is_on())
		noted_foreign(result ? MNM_RECORD_FAILED : MNM_RECORD_ALLOC,
			      device_now(), false, result ? 0 : *addr, size);
}

void passed_note_free(uint64_t addr)
{
	if (record_is_on())
		noted_foreign(MNM_RECORD_FREE, device_now(), false, addr, 0);
}
