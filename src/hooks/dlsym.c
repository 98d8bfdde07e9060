/* Our dlsym. It jumps to the dlsym behind it instead of calling it: that one
 * looks at its return address to know who asks for RTLD_NEXT or RTLD_DEFAULT.
 *
 * It runs before anything else in a process is set up, so it is built without
 * sanitizers. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "mem/config.h"
#include "hook.h"
#include "preload/loader.h"
#include "common/log.h"

/* clang-format off */
#ifdef __x86_64__
__asm__(
	".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	".cfi_startproc\n"
	"	pushq %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	call dlsym_route\n" /* rax: address, rdx: whether answered */
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
#elif defined(__aarch64__)
__asm__(
	".text\n"
	".globl dlsym\n"
	".type dlsym, %function\n"
	"dlsym:\n"
	".cfi_startproc\n"
	"	stp x29, x30, [sp, #-32]!\n"
	".cfi_def_cfa_offset 32\n"
	".cfi_offset x29, -32\n"
	".cfi_offset x30, -24\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	bl dlsym_route\n" /* x0: address, x1: whether answered */
	"	mov x16, x0\n"
	"	mov x17, x1\n"
	"	cbnz x17, 1f\n"
	"	ldp x0, x1, [sp, #16]\n"
	"1:	ldp x29, x30, [sp], #32\n"
	".cfi_def_cfa_offset 0\n"
	".cfi_restore x29\n"
	".cfi_restore x30\n"
	"	cbnz x17, 2f\n"
	"	br x16\n"
	"2:	ret\n"
	".cfi_endproc\n"
	".size dlsym, . - dlsym\n");
#else
#error "dlsym's jump is written for x86-64 and aarch64 only"
#endif
/* clang-format on */

struct dlsym_answer dlsym_route(void *handle, const char *symbol);

/* A program that calls dlmopen needs dlsym to use what it has opened, so this
 * is where it shows. */
static void apart_say(void *handle)
{
	static atomic_bool said;

	if (!handle || handle == RTLD_NEXT || said ||
	    !loader_is_dlmopen(handle))
		return;
	if (!atomic_exchange(&said, true) && config_once())
		log_warn("CUDA was opened by dlmopen, where no preload "
			 "reaches: its calls there go to CUDA untouched");
}

/* Called by the code above. */
__attribute__((used)) struct dlsym_answer dlsym_route(void *handle,
						      const char *symbol)
{
	dlsym_function *behind = dlsym_behind();
	struct dlsym_answer answer = {NULL, 0};

	apart_say(handle);
	if (symbol && symbol[0] == 'c' && symbol[1] == 'u' &&
	    handle != RTLD_NEXT)
		answer = hook_dlsym(handle, symbol);
	if (!answer.answered)
		answer.address = (void *)behind;
	return answer;
}
