/* Asks dlsym for the next library after this program that has a function. One
 * that is preloaded before mnm's has it, and none after. A library that passes
 * the question on must keep it this program's. Prints the answer. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	const char *(*answer)(void) =
		(const char *(*)(void))dlsym(RTLD_NEXT, "next_answer");

	puts(answer ? answer() : "nothing is next");
	return 0;
}
