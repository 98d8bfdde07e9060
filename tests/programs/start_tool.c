/* Preloaded: while it is loaded, it looks for the next library that has a
 * function of its own function's name, and calls that. If the loader took
 * another library for the caller, it would find itself, and would call itself
 * for ever. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *start_tool(void);

EXPORT const char *start_tool(void)
{
	const char *(*next)(void) =
		(const char *(*)(void))dlsym(RTLD_NEXT, "start_tool");

	if (next == start_tool)
		return "itself";
	return next ? next() : "no other";
}

__attribute__((constructor)) static void start(void)
{
	dprintf(STDERR_FILENO, "start_tool: %s\n", start_tool());
}
