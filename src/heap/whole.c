#include "whole.h"

_Atomic uint64_t whole_sizes;

bool size_make_whole(size_t size)
{
	uint64_t bit = whole_bit(size);

	return !(atomic_fetch_or(&whole_sizes, bit) & bit);
}
