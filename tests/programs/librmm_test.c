/* Has the name of an allocator's library: it asks CUDA for what others have
 * asked it for. Its constructor has the program ask for some. */
#include <dlfcn.h>
#include <stddef.h>

__attribute__((visibility("default"))) int rmm_take(int (*alloc)(void **ptr,
								 size_t size),
						    void **ptr, size_t size);

int rmm_take(int (*alloc)(void **ptr, size_t size), void **ptr, size_t size)
{
	int res = alloc(ptr, size);

	__asm__ volatile("" : "+r"(res));
	return res;
}

__attribute__((constructor)) static void load(void)
{
	void (*at_load)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "at_load");

	if (at_load)
		at_load();
}
