/* Asks for what comes next after this program, which a library preloaded
 * before mnm's has, and none after: whoever passes the question on has to
 * leave it this program's. Prints what it is told. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	const char *(*answer)(void) =
		(const char *(*)(void))dlsym(RTLD_NEXT, "next_answer");

	puts(answer ? answer() : "nothing is next");
	return 0;
}
