/* PTX on the host: reads the text of a module, tells what its kernels take and
 * touch, and runs them. It knows nothing of the driver above it.
 *
 *   struct ptx_module *module = ptx_parse(text, size, &error);
 *   const struct ptx_kernel *kernel = ptx_kernel_find(module, "name");
 *   struct ptx_program *program = ptx_prepare(module, kernel, &error);
 *   ptx_run(program, &launch, &host, &error);
 *
 * A module and a program do not change once they are made, so any number of
 * threads may use them at the same time. */
#ifndef SIM_PTX_H
#define SIM_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was wrong: one plain line without a line break, and where in the text
 * (0: nowhere in particular). Functions that fail fill it if it is not NULL. */
struct ptx_error {
	unsigned int line;
	char text[160];
};

/* Reading. */

struct ptx_module;

/* Reads a module of 64-bit addresses. The text needs no NUL behind it, ends at
 * the first NUL if there is one, and is not used afterwards. NULL if it is no
 * such module, or memory is short. That an instruction can be read does not
 * mean that it can be run: ptx_prepare() tells. */
struct ptx_module *ptx_parse(const char *text, size_t size,
			     struct ptx_error *error);
void ptx_module_free(struct ptx_module *module);

/* As in ".version 8.7" and ".target sm_90a": 8, 7, 90. */
struct ptx_version {
	unsigned int major, minor, target;
};

struct ptx_version ptx_module_version(const struct ptx_module *module);

/* A variable of the module that has memory as long as the module: in global or
 * constant memory. */
struct ptx_variable {
	const char *name;
	size_t size, align; /* bytes */
	bool constant;      /* .const */
	bool managed;       /* .attribute(.managed) */
	bool external;      /* .extern: defined in another module */
	/* Its first contents, `size` bytes; NULL if these are zeros. Addresses
	 * in it are zeros here, and are in the list. */
	const void *data;
	const struct ptx_address *addresses;
	size_t address_count;
};

/* An address in the first contents of a variable. */
struct ptx_address {
	size_t place;       /* where in the contents */
	size_t bytes;       /* how many bytes of the address go there */
	unsigned int shift; /* the first of these bits of the address */
	/* A variable of this module plus `addend`, or the function of this
	 * name; see ptx_function_address(). One of them is NULL. */
	const struct ptx_variable *variable;
	const char *function;
	int64_t addend;
};

size_t ptx_variable_count(const struct ptx_module *module);
const struct ptx_variable *ptx_variable_at(const struct ptx_module *module,
					   size_t index);
/* NULL if there is none. */
const struct ptx_variable *ptx_variable_find(const struct ptx_module *module,
					     const char *name);
/* What the address of a function is for kernels that ptx_run() runs. It is
 * the address of nothing in memory. 0 if there is no such function. */
uint64_t ptx_function_address(const struct ptx_module *module,
			      const char *name);

enum ptx_param_kind {
	PTX_PARAM_BITS,    /* .bN */
	PTX_PARAM_INTEGER, /* .uN, .sN: addresses, too */
	PTX_PARAM_FLOAT,   /* .fN */
	PTX_PARAM_BYTES,   /* an array: a struct in the source */
};

struct ptx_param {
	const char *name;
	enum ptx_param_kind kind;
	size_t size, align;
	size_t offset; /* in a buffer of all parameters */
};

/* An .entry function. */
struct ptx_kernel {
	const char *name; /* mangled for C++ */
	const struct ptx_param *params;
	size_t param_count;
	size_t param_bytes;     /* of the buffer of all parameters */
	size_t shared_bytes;    /* static shared memory that it or what it calls
				   may use */
	size_t local_bytes;     /* the same for local memory, of each thread */
	size_t constant_bytes;  /* of variables that it may use */
	unsigned int registers; /* of a thread on a GPU: an estimate */
	unsigned int max_registers;  /* .maxnreg; 0 if not given */
	unsigned int max_threads[3]; /* .maxntid or .reqntid; 0 if not given */
	bool exact_threads;          /* they were given by .reqntid */
};

size_t ptx_kernel_count(const struct ptx_module *module);
const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *module,
				       size_t index);
/* NULL if there is none. */
const struct ptx_kernel *ptx_kernel_find(const struct ptx_module *module,
					 const char *name);

/* What a kernel touches. */

enum ptx_use_flag {
	PTX_USE_READ = 1,
	PTX_USE_WRITE = 2,
	PTX_USE_ATOMIC = 4, /* read and written by atomic operations */
	/* Addresses are read from there and followed: what these lead to may
	 * be read and written, and is not told. */
	PTX_USE_INDIRECT = 8,
	/* It goes where nobody can follow it: to a function whose code is not
	 * here, into memory, through arithmetic that makes no address. What it
	 * points to may be read, written and changed atomically. */
	PTX_USE_ESCAPES = 16,
};

/* An address that the kernel is given, and what may happen to the memory that
 * it points into: at least one flag. */
struct ptx_use {
	/* The parameter and the bytes in it where the address is, 8 bytes
	 * wide; or the variable of the module (then param is SIZE_MAX). */
	size_t param, offset;
	const struct ptx_variable *variable;
	unsigned int flags;
};

/* Tells the uses of each address in the parameters, ordered by place, and then
 * those of the module's variables. A number that may be part of an address, as
 * b in a + b, counts as one, and so may be no address when the kernel runs.
 * Memory behind what is not in the list is not touched, unless *elsewhere is
 * not 0: then the kernel also touches what no parameter and no variable points
 * into (addresses that are read from memory, or computed), and these are the
 * flags of that. Stores `room` uses at most and returns how many there are;
 * SIZE_MAX if memory is short. */
size_t ptx_kernel_uses(const struct ptx_module *module,
		       const struct ptx_kernel *kernel, struct ptx_use *uses,
		       size_t room, unsigned int *elsewhere);

/* Running. */

struct ptx_program;

/* Makes a kernel ready to run, with all that it calls. NULL if an instruction
 * or anything else in it is not supported, which `error` then names, or memory
 * is short. The module has to outlive the program. */
struct ptx_program *ptx_prepare(const struct ptx_module *module,
				const struct ptx_kernel *kernel,
				struct ptx_error *error);
/* Whether it may take memory with malloc(), or give it back. */
bool ptx_program_takes(const struct ptx_program *program);
void ptx_program_free(struct ptx_program *program);

/* Whether ptx_prepare() would succeed, and if not why. */
bool ptx_can_run(const struct ptx_module *module,
		 const struct ptx_kernel *kernel, struct ptx_error *why);

/* What is asked of a texture beside a plain fetch. */
struct ptx_detail {
	enum ptx_detail_how {
		PTX_DETAIL_NONE,
		PTX_DETAIL_LEVEL,  /* of a level of detail */
		PTX_DETAIL_SLOPES, /* of the level that slopes tell */
		PTX_DETAIL_GATHER, /* four elements around the place */
	} how;
	bool cube;     /* x, y, z are a direction */
	int32_t layer; /* of a cube */
	double level;
	double slopes[2][3];  /* of x, y and z, along two directions */
	unsigned int channel; /* of a gather */
};

/* A place in a texture or surface. */
struct ptx_spot {
	double at[3]; /* x, y, z; in layers z is the layer. x of a surface is in
			 bytes */
	bool layers;
	bool whole; /* by whole numbers, which pass by filters and modes */
	const struct ptx_detail *detail; /* or NULL */
};

/* What a running kernel asks its caller for. Functions are called with `user`,
 * by the thread of ptx_run() and by those that help it (see struct ptx_launch):
 * these with a copy of it of their own, if its size is given. variable() is
 * called before there are others, and tick() by one thread at a time. print()
 * and what waits for other blocks is never there together with threads that
 * help. */
struct ptx_host {
	void *user;
	size_t user_bytes; /* that each thread has a copy of; may be 0 */
	/* Whether a kernel may touch the byte at a global address; if so,
	 * stores the first address and the one behind the last of what it may
	 * touch around it. The answer has to hold until ptx_run() returns.
	 * NULL: it may touch everything. */
	bool (*range)(void *user, uint64_t addr, bool write, uint64_t *begin,
		      uint64_t *end);
	/* Where a variable of the module is. NULL, or no such function: the
	 * run ends with PTX_NO_VARIABLE. */
	void *(*variable)(void *user, const struct ptx_variable *variable);
	/* What a texture object has at a place: four channels. False if there
	 * is no such texture. NULL: there is none. */
	bool (*texture)(void *user, uint64_t object,
			const struct ptx_spot *spot, double values[4]);
	/* Where `size` bytes at a place of a surface object are; NULL outside,
	 * if this is not to be clamped. False if there is no such surface. */
	bool (*surface)(void *user, uint64_t object,
			const struct ptx_spot *spot, size_t size, bool clamp,
			void **at);
	/* The width, height and depth of either, in elements. */
	bool (*texture_size)(void *user, uint64_t object, uint32_t sizes[3]);
	/* malloc() and free(): an address, or 0 if there is no room; and
	 * whether memory was taken there. NULL: there is no room. */
	uint64_t (*take)(void *user, uint64_t size);
	bool (*give)(void *user, uint64_t addr);
	/* Sets the condition of a graph. False if there is no such one. NULL:
	 * there is none. */
	bool (*condition)(void *user, uint64_t handle, uint32_t value);
	/* Called each few million instructions of threads, with how many
	 * operations of whole warps have been run in all. If it returns false,
	 * the run ends with PTX_STOPPED. May be NULL. */
	bool (*tick)(void *user, uint64_t instructions);
	/* What printf writes. NULL: to stdout. */
	void (*print)(void *user, const char *text, size_t length);
};

struct ptx_launch {
	unsigned int grid[3], block[3]; /* each >= 1; 1024 threads a block */
	size_t shared_bytes;            /* dynamic shared memory */
	size_t stack_bytes;             /* of each thread; 0: 1024 */
	/* How many threads may run blocks, that of ptx_run() among them; 0 is
	 * 1. Others help only if the kernel cannot tell, and if the launch
	 * takes a while. They block all signals, and are gone when ptx_run()
	 * returns. */
	unsigned int threads;
	/* args[i] points at parameter i. Memory there is read until ptx_run()
	 * returns. */
	void *const *args;
};

enum ptx_result {
	PTX_OK,
	PTX_ILLEGAL_ADDRESS, /* of any space */
	PTX_STACK_FULL,      /* functions that call themselves too often */
	PTX_MISALIGNED,
	PTX_TRAPPED,     /* trap, or a call of what must not be called */
	PTX_ASSERTED,    /* a device's assert() failed */
	PTX_DEADLOCK,    /* all threads wait for each other */
	PTX_STOPPED,     /* tick() said so */
	PTX_NO_VARIABLE, /* the caller has none of this name */
	PTX_NO_MEMORY,   /* of the host */
	PTX_BAD_LAUNCH,  /* a shape that the kernel cannot have */
};

/* Runs all blocks. Blocks that wait for later ones are run in turns with these.
 * Memory that the kernel wrote stays written if it
 * ends with an error, and `error` then says what happened, in which thread and
 * in which line of the module. */
enum ptx_result ptx_run(const struct ptx_program *program,
			const struct ptx_launch *launch,
			const struct ptx_host *host, struct ptx_error *error);

#endif
