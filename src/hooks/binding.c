#include "binding.h"

#include <stdatomic.h>

#include "cuda/real.h"
#include "tcache/tcache.h"

static _Atomic bool binds_at_once;

bool runtime_binds_at_once(const struct real_runtime *real)
{
	int version = 0;

	if (binds_at_once)
		return true;
	if (real->cudaRuntimeGetVersion(&version) || version < 12000)
		return false;
	binds_at_once = true;
	tcaches_bind();
	return true;
}
