/* Runs out of memory where something is held, or looks at what that changes.
 * Usage: runs_out HOW [COUNT]
 *
 *	driver, runtime	asks the driver or the runtime, in functions with names
 *	visit	while it visits what is loaded, so that its thread has the
 *		loader's lock
 *	visited	while another thread does, which waits for the request's end
 *	handler	in a signal handler
 *	cancel	in a thread that is to be cancelled
 *	torn	behind code of a file that is mapped in part, and doesn't tell
 *	counts	prints how often memory was asked of the C library before, and
 *		meanwhile
 *	filtered
 *		behind code of which nothing is known, while a filter, which
 *		the parent has as well, kills who asks the kernel for memory
 *	many	with 131,072 blocks, or fewer if a number is given
 *
 * Prints CUDA's code and errno, which was 77. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERRNO = 77, FIRST = 5000, SMALL = 512, MANY = 1 << 17 };
#define TOO_MUCH ((size_t)1 << 40)

static CUcontext context;
static int code, number;
static sem_t visits, asked;
static __thread unsigned int mallocs; /* of the thread's own */

#define SEEN __attribute__((visibility("default")))
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

SEEN void *malloc(size_t size)
{
	mallocs++;
	return __libc_malloc(size);
}

SEEN void *calloc(size_t count, size_t size)
{
	mallocs++;
	return __libc_calloc(count, size);
}

SEEN void *realloc(void *ptr, size_t size)
{
	mallocs++;
	return __libc_realloc(ptr, size);
}

__attribute__((noinline)) static void ask_inside(int runtime)
{
	CUdeviceptr ptr;
	void *pointer;

	errno = ERRNO;
	if (runtime)
		code = (int)cudaMalloc(&pointer, TOO_MUCH);
	else
		code = (int)cuMemAlloc(&ptr, TOO_MUCH);
	number = errno;
	__asm__ volatile("");
}

__attribute__((noinline)) static void ask_outside(int runtime)
{
	ask_inside(runtime);
	__asm__ volatile("");
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info, (void)size, (void)unused;
	ask_outside(0);
	return 1;
}

static int wait_inside(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info, (void)size, (void)unused;
	sem_post(&visits);
	sem_wait(&asked);
	return 1;
}

static void *wait_for_it(void *unused)
{
	dl_iterate_phdr(wait_inside, NULL);
	return unused;
}

static int beside_a_visit(void)
{
	pthread_t thread;

	if (sem_init(&visits, 0, 0) || sem_init(&asked, 0, 0) ||
	    pthread_create(&thread, NULL, wait_for_it, NULL))
		return 2;
	sem_wait(&visits);
	ask_outside(0);
	sem_post(&asked);
	pthread_join(thread, NULL);
	return 0;
}

static void handle(int unused)
{
	(void)unused;
	ask_outside(0);
}

static int in_a_handler(void)
{
	const struct sigaction action = {.sa_handler = handle};

	return sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1);
}

static void *be_cancelled(void *ended)
{
	cuCtxSetCurrent(context);
	pthread_cancel(pthread_self());
	ask_outside(0);
	*(int *)ended = 1;
	return NULL;
}

static int with_a_cancel(void)
{
	pthread_t thread;
	int ended = 0;

	if (pthread_create(&thread, NULL, be_cancelled, &ended))
		return 2;
	pthread_join(thread, NULL);
	return !ended;
}

#ifdef __x86_64__
/* Calls the function that it is given. */
static const unsigned char caller[] = {0x55, 0x48, 0x89, 0xe5,
				       0xff, 0xd7, 0x5d, 0xc3};
enum { PAGE = 4096, CALLER_AT = 1024, FILE_SIZE = 1 << 20, TABLE_AT = 1 << 19 };

static void ask_from_file(void)
{
	ask_outside(0);
}

static int in_a_torn_file(void)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr parts[2];
	} file = {.head = {.e_ident = ELFMAG,
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2,
			   .e_phoff = sizeof(Elf64_Ehdr)},
		  .parts = {{.p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_filesz = FILE_SIZE,
			     .p_memsz = FILE_SIZE},
			    {.p_type = PT_GNU_EH_FRAME,
			     .p_vaddr = TABLE_AT,
			     .p_offset = TABLE_AT,
			     .p_memsz = PAGE}}};
	int fd = memfd_create("torn", 0);
	char *at = mmap(NULL, FILE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	void (*call)(void (*)(void));

	file.head.e_ident[EI_CLASS] = ELFCLASS64;
	if (fd < 0 || at == MAP_FAILED || ftruncate(fd, FILE_SIZE) ||
	    pwrite(fd, &file, sizeof(file), 0) != sizeof(file) ||
	    pwrite(fd, caller, sizeof(caller), CALLER_AT) != sizeof(caller) ||
	    mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 0) == MAP_FAILED)
		return 2;
	*(void **)&call = at + CALLER_AT;
	call(ask_from_file);
	return 0;
}
/* The same, and it has more to do than to return. */
static const unsigned char framed[] = {0x55, 0x48, 0x89, 0xe5, 0xff,
				       0xd7, 0x90, 0x5d, 0xc3};

static int in_unknown_code(void)
{
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*)(void));

	if (at == MAP_FAILED)
		return 2;
	memcpy(at, framed, sizeof(framed));
	if (mprotect(at, PAGE, PROT_READ | PROT_EXEC))
		return 2;
	*(void **)&call = at;
	call(ask_from_file);
	return 0;
}
#else
static int in_a_torn_file(void)
{
	ask_outside(0);
	return 0;
}

static int in_unknown_code(void)
{
	ask_outside(0);
	return 0;
}
#endif

/* Goes on in a child. */
static void be_filtered(void)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(rows) / sizeof(*rows), rows};
	int status;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(2);
	if (!fork())
		return;
	wait(&status);
	exit(status ? 2 : 0);
}

static int with_many(int count)
{
	CUdeviceptr ptr;

	for (int i = 1; i < count; i++) /* one is there */
		if (cuMemAlloc(&ptr, SMALL))
			return 2;
	ask_outside(0);
	return 0;
}

static int ready(void)
{
	CUdeviceptr ptr;

	return cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	       cuCtxSetCurrent(context) || cuMemAlloc(&ptr, FIRST);
}

int main(int argc, char **argv)
{
	const char *how = argc >= 2 ? argv[1] : "";
	int status = 0;
	unsigned int before;

	if (!strcmp(how, "filtered"))
		be_filtered();
	if (ready())
		return 2;
	before = mallocs;
	mallocs = 0;
	if (!strcmp(how, "visit"))
		dl_iterate_phdr(visit, NULL);
	else if (!strcmp(how, "visited"))
		status = beside_a_visit();
	else if (!strcmp(how, "handler"))
		status = in_a_handler();
	else if (!strcmp(how, "cancel"))
		status = with_a_cancel();
	else if (!strcmp(how, "torn"))
		status = in_a_torn_file();
	else if (!strcmp(how, "filtered"))
		status = in_unknown_code();
	else if (!strcmp(how, "many"))
		status = with_many(argc > 2 ? atoi(argv[2]) : MANY);
	else
		ask_outside(!strcmp(how, "runtime"));
	if (!strcmp(how, "counts"))
		printf("%u %u ", before, mallocs);
	printf("%d %d\n", code, number);
	return status;
}
