/* Our dlsym. It jumps, not calls, to the one behind it: that one looks at its
 * return address to know who asks for RTLD_NEXT and RTLD_DEFAULT.
 *
 * It runs before anything else in a process is set up, so it is built
 * without sanitizers. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "hook.h"

#ifndef __x86_64__
#error "dlsym's jump is written for x86-64 only"
#endif

/* clang-format off */
__asm__(
	".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	".cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	call dlsym_route\n" /* rax: address, rdx: it is the answer */
	"	addq $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	testq %rdx, %rdx\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	jmp *%rax\n"
	".cfi_endproc\n"
	".size dlsym, . - dlsym\n");
/* clang-format on */

typedef void *dlsym_function(void *handle, const char *symbol);

static void *dlsym_missing(void *handle, const char *symbol)
{
	(void)handle;
	(void)symbol;
	return NULL;
}

dlsym_function *dlsym_behind(void)
{
	/* Where glibc first had dlsym: libc 2.34, libdl before. */
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
	static dlsym_function *_Atomic behind;
	dlsym_function *found = atomic_load(&behind);

	for (size_t i = 0; !found && i < 2; i++)
		found = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym",
						 versions[i]);
	if (!found)
		found = dlsym_missing;
	atomic_store(&behind, found);
	return found;
}

struct dlsym_answer dlsym_route(void *handle, const char *symbol);

/* Called by the code above. */
__attribute__((used)) struct dlsym_answer dlsym_route(void *handle,
						      const char *symbol)
{
	dlsym_function *behind = dlsym_behind();
	struct dlsym_answer answer = {NULL, 0};

	if (symbol && symbol[0] == 'c' && symbol[1] == 'u' &&
	    handle != RTLD_NEXT)
		answer = hook_dlsym(handle, symbol);
	if (!answer.answered)
		answer.address = (void *)behind;
	return answer;
}
