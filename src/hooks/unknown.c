/* Stubs for entries that no header describes. A call of one may queue work of
 * any context on memory of any device. Its arguments are not known either, so
 * it goes on to CUDA as it came. */
#include "unknown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "order/calls.h"
#include "order/fence.h"
#include "order/legacy.h"
#include "mem/mem.h"

enum { STUBS = 256, STUB_SIZE = 16 };

/* Each stub puts its number in eax, or in w16. The registers that arguments
 * come in are kept, those for floating point as well. The entry returns to the
 * stub's caller. */
/* clang-format off */
#ifdef __x86_64__
__asm__(
	".text\n"
	".balign 16\n"
	".globl unknown_stubs\n"
	".hidden unknown_stubs\n"
	"unknown_stubs:\n"
	".set stub, 0\n"
	".rept 256\n"
	"	endbr64\n"
	"	movl $stub, %eax\n"
	"	jmp unknown_jump\n"
	"	.balign 16\n"
	"	.set stub, stub + 1\n"
	".endr\n"
	".type unknown_jump, @function\n"
	"unknown_jump:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbp, 0\n"
	"	movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"	subq $176, %rsp\n"
	"	movq %rdi, (%rsp)\n"
	"	movq %rsi, 8(%rsp)\n"
	"	movq %rdx, 16(%rsp)\n"
	"	movq %rcx, 24(%rsp)\n"
	"	movq %r8, 32(%rsp)\n"
	"	movq %r9, 40(%rsp)\n"
	"	movups %xmm0, 48(%rsp)\n"
	"	movups %xmm1, 64(%rsp)\n"
	"	movups %xmm2, 80(%rsp)\n"
	"	movups %xmm3, 96(%rsp)\n"
	"	movups %xmm4, 112(%rsp)\n"
	"	movups %xmm5, 128(%rsp)\n"
	"	movups %xmm6, 144(%rsp)\n"
	"	movups %xmm7, 160(%rsp)\n"
	"	movl %eax, %edi\n"
	"	call unknown_route\n" /* rax: the entry */
	"	movq (%rsp), %rdi\n"
	"	movq 8(%rsp), %rsi\n"
	"	movq 16(%rsp), %rdx\n"
	"	movq 24(%rsp), %rcx\n"
	"	movq 32(%rsp), %r8\n"
	"	movq 40(%rsp), %r9\n"
	"	movups 48(%rsp), %xmm0\n"
	"	movups 64(%rsp), %xmm1\n"
	"	movups 80(%rsp), %xmm2\n"
	"	movups 96(%rsp), %xmm3\n"
	"	movups 112(%rsp), %xmm4\n"
	"	movups 128(%rsp), %xmm5\n"
	"	movups 144(%rsp), %xmm6\n"
	"	movups 160(%rsp), %xmm7\n"
	"	leave\n"
	".cfi_def_cfa %rsp, 8\n"
	"	jmp *%rax\n"
	".cfi_endproc\n"
	".size unknown_jump, . - unknown_jump\n");
#elif defined(__aarch64__)
__asm__(
	".text\n"
	".balign 16\n"
	".globl unknown_stubs\n"
	".hidden unknown_stubs\n"
	"unknown_stubs:\n"
	".set stub, 0\n"
	".rept 256\n"
	"	hint #34\n"
	"	mov w16, #stub\n"
	"	b unknown_jump\n"
	"	.balign 16\n"
	"	.set stub, stub + 1\n"
	".endr\n"
	".type unknown_jump, %function\n"
	"unknown_jump:\n"
	".cfi_startproc\n"
	"	stp x29, x30, [sp, #-224]!\n"
	".cfi_def_cfa_offset 224\n"
	".cfi_offset x29, -224\n"
	".cfi_offset x30, -216\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n"
	"	str x8, [sp, #80]\n"
	"	stp q0, q1, [sp, #96]\n"
	"	stp q2, q3, [sp, #128]\n"
	"	stp q4, q5, [sp, #160]\n"
	"	stp q6, q7, [sp, #192]\n"
	"	mov w0, w16\n"
	"	bl unknown_route\n" /* x0: the entry */
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n"
	"	ldr x8, [sp, #80]\n"
	"	ldp q0, q1, [sp, #96]\n"
	"	ldp q2, q3, [sp, #128]\n"
	"	ldp q4, q5, [sp, #160]\n"
	"	ldp q6, q7, [sp, #192]\n"
	"	ldp x29, x30, [sp], #224\n"
	".cfi_def_cfa_offset 0\n"
	".cfi_restore x29\n"
	".cfi_restore x30\n"
	"	br x16\n"
	".cfi_endproc\n"
	".size unknown_jump, . - unknown_jump\n");
#endif
/* clang-format on */

extern const char unknown_stubs[][STUB_SIZE];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int used; /* under lock */
static void *_Atomic entries[STUBS];

void *unknown_route(unsigned int number);

/* Called by the code above. */
__attribute__((used)) void *unknown_route(unsigned int number)
{
	if (mem_enabled()) {
		legacy_actions_unseen();
		legacy_settle();
		peer_mingle();
	}
	return atomic_load_explicit(&entries[number], memory_order_acquire);
}

/* Under lock. Returns the stub of an entry, and makes it if there is none. NULL
 * if all stubs are in use. */
static void *stub_of(void *entry)
{
	unsigned int number = 0;

	while (number < used && entries[number] != entry)
		number++;
	if (number == STUBS)
		return NULL;
	if (number == used)
		atomic_store(&entries[used++], entry);
	return (void *)unknown_stubs[number];
}

void *unknown_entry_found(const char *name, void *entry)
{
	void *stub;

	if (strstr(name, "Get") || strstr(name, "Query"))
		return entry;
	pthread_mutex_lock(&lock);
	stub = stub_of(entry);
	pthread_mutex_unlock(&lock);
	if (!stub) {
		legacy_actions_unseen();
		legacy_settle();
		if (mem_enabled()) /* calls that go unseen may do anything */
			peer_share(NULL);
	}
	return stub ? stub : entry;
}
