/* In place of src/cuda/tool.c: there is no tool. */
#include "cuda/tool.h"

_Atomic bool tool_is_there;

void tool_heap_end(void *heap)
{
	(void)heap;
}
