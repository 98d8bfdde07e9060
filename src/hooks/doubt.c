/* Entries that may queue work in ways that we don't see: a call of one ends
 * the proof that there is one stream, and goes on to CUDA as it came. Their
 * exported names, written by gen_work, jump here with a number in eax, or in
 * w16. */
#include <stddef.h>
#include <string.h>

#include "context.h"
#include "real.h"
#include "work.h"

/* clang-format off */
#ifdef __x86_64__
__asm__(
	".text\n"
	".globl doubt_jump\n"
	".hidden doubt_jump\n"
	".type doubt_jump, @function\n"
	"doubt_jump:\n"
	".cfi_startproc\n"
	"	pushq %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %r9\n"
	".cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	movl %eax, %edi\n"
	"	call doubt_route\n" /* rax: where to go on; no entry has floats */
	"	addq $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r9\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %r8\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rcx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rdx\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	jmp *%rax\n"
	".cfi_endproc\n"
	".size doubt_jump, . - doubt_jump\n");
#elif defined(__aarch64__)
__asm__(
	".text\n"
	".globl doubt_jump\n"
	".hidden doubt_jump\n"
	".type doubt_jump, %function\n"
	"doubt_jump:\n"
	".cfi_startproc\n"
	"	stp x29, x30, [sp, #-80]!\n"
	".cfi_def_cfa_offset 80\n"
	".cfi_offset x29, -80\n"
	".cfi_offset x30, -72\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n"
	"	mov w0, w16\n"
	"	bl doubt_route\n" /* x0: where to go on; no entry has floats */
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n"
	"	ldp x29, x30, [sp], #80\n"
	".cfi_def_cfa_offset 0\n"
	".cfi_restore x29\n"
	".cfi_restore x30\n"
	"	br x16\n"
	".cfi_endproc\n"
	".size doubt_jump, . - doubt_jump\n");
#endif
/* clang-format on */

/* Where each stands in the driver's table, by number. */
static const size_t offsets[] = {
#define HOOK(symbol, name, from, until) offsetof(struct real_driver, symbol),
	DRIVER_DOUBT_LIST
#undef HOOK
};

static CUresult entry_missing(void)
{
	return CUDA_ERROR_NOT_FOUND;
}

void *doubt_route(unsigned int number);

/* Called by the code above. */
__attribute__((used)) void *doubt_route(unsigned int number)
{
	const struct real_driver *real = real_driver();
	void *found = NULL;

	work_mixed();
	context_doubt();
	if (real)
		memcpy(&found, (const char *)real + offsets[number],
		       sizeof(found));
	return found ? found : (void *)entry_missing;
}
