#include "binary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include <uthash.h>

#include <fatbinary_section.h>

#include "runtime.h"

/* One registered image. The driver gets it when it is first asked for. */
struct binary {
	const void *image;
	CUlibrary library;
};

/* What a host address stands for: a kernel or a variable of an image. */
struct symbol {
	const void *host;
	const char *name;
	struct binary *binary;
	CUkernel kernel; /* NULL until it is found */
	size_t size;     /* of a variable */
	void **managed;  /* where a managed variable's address goes, or NULL */
	UT_hash_handle hh;
};

static struct symbol *symbols; /* by host address */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Entries that the compiler's generated code calls; crt/host_runtime.h declares
 * them for C++ only. */
EXPORT void **__cudaRegisterFatBinary(void *image);
EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
EXPORT void __cudaUnregisterFatBinary(void **handle);
EXPORT char __cudaInitModule(void **handle);
EXPORT void __cudaRegisterFunction(void **handle, const char *host,
				   char *device_function,
				   const char *device_name, int thread_limit,
				   uint3 *tid, uint3 *bid, dim3 *block_dim,
				   dim3 *grid_dim, int *warp_size);
EXPORT void __cudaRegisterManagedVar(void **handle, void **host,
				     char *device_address,
				     const char *device_name, int ext,
				     size_t size, int constant, int global);
EXPORT void __cudaRegisterVar(void **handle, char *host, char *device_address,
			      const char *device_name, int ext, size_t size,
			      int constant, int global);

/* If memory is short, the handle is NULL, and what is registered with it is
 * found missing when it is used. */
void **__cudaRegisterFatBinary(void *image)
{
	const __fatBinC_Wrapper_t *wrapper = image;
	struct binary *binary = calloc(1, sizeof(*binary));

	/* What was linked from relocatable code is more than one image. */
	if (binary)
		binary->image = wrapper->version == FATBINC_LINK_VERSION
					? image
					: (const void *)wrapper->data;
	return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle; /* images are loaded at first use */
}

/* Does not unload the library: the driver may be gone when programs
 * unregister. */
void __cudaUnregisterFatBinary(void **handle)
{
	struct binary *binary = (struct binary *)handle;
	struct symbol *symbol, *next;

	pthread_mutex_lock(&lock);
	HASH_ITER (hh, symbols, symbol, next) {
		if (symbol->binary != binary)
			continue;
		/* NOLINTNEXTLINE(*-unix.Malloc): none of the table is freed */
		HASH_DEL(symbols, symbol);
		free(symbol);
	}
	pthread_mutex_unlock(&lock);
	free(binary);
}

static void symbol_add(void **handle, const void *host, const char *name,
		       size_t size, void **managed)
{
	struct symbol *symbol = handle ? calloc(1, sizeof(*symbol)) : NULL;
	struct symbol *old;

	if (!symbol)
		return;
	symbol->host = host;
	symbol->name = name;
	symbol->size = size;
	symbol->managed = managed;
	symbol->binary = (struct binary *)handle;
	pthread_mutex_lock(&lock);
	HASH_REPLACE_PTR(symbols, host, symbol, old);
	pthread_mutex_unlock(&lock);
	free(old);
}

void __cudaRegisterFunction(void **handle, const char *host,
			    char *device_function, const char *device_name,
			    int thread_limit, uint3 *tid, uint3 *bid,
			    dim3 *block_dim, dim3 *grid_dim, int *warp_size)
{
	(void)device_function; /* its name says the same */
	(void)thread_limit, (void)tid, (void)bid;
	(void)block_dim, (void)grid_dim, (void)warp_size;
	symbol_add(handle, host, device_name, 0, NULL);
}

void __cudaRegisterVar(void **handle, char *host, char *device_address,
		       const char *device_name, int ext, size_t size,
		       int constant, int global)
{
	(void)device_address, (void)ext, (void)constant, (void)global;
	symbol_add(handle, host, device_name, size, NULL);
}

/* The host reaches the variable by the address that goes to *host. */
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address,
			      const char *device_name, int ext, size_t size,
			      int constant, int global)
{
	(void)device_address, (void)ext, (void)constant, (void)global;
	symbol_add(handle, host, device_name, size, host);
}

/* Needs the lock. */
static int binary_load(struct binary *binary)
{
	if (binary->library)
		return 0;
	return driver_legacy.LibraryLoadData(&binary->library, binary->image,
					     NULL, NULL, 0, NULL, NULL, 0);
}

/* Needs the lock. */
static int symbol_kernel(struct symbol *symbol)
{
	int res;

	if (symbol->kernel)
		return 0;
	res = binary_load(symbol->binary);
	if (!res)
		res = driver_legacy.LibraryGetKernel(
			&symbol->kernel, symbol->binary->library, symbol->name);
	return res == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction
					   : res;
}

static int find(const void *host, CUkernel *kernel, int unknown)
{
	struct symbol *symbol;
	int res = driver_open();

	if (res)
		return res;
	pthread_mutex_lock(&lock);
	HASH_FIND_PTR(symbols, &host, symbol);
	res = symbol ? symbol_kernel(symbol) : unknown;
	if (!res)
		*kernel = symbol->kernel;
	pthread_mutex_unlock(&lock);
	return res;
}

int kernel_find(const void *host, CUkernel *kernel)
{
	return find(host, kernel, cudaErrorInvalidDeviceFunction);
}

int kernel_launched(const void *host, CUkernel *kernel)
{
	return find(host, kernel, cudaErrorInvalidResourceHandle);
}

const void *kernel_host(CUkernel kernel)
{
	const void *host = NULL;
	struct symbol *symbol, *next;

	pthread_mutex_lock(&lock);
	HASH_ITER (hh, symbols, symbol, next)
		if (symbol->kernel == kernel)
			host = symbol->host;
	pthread_mutex_unlock(&lock);
	return host;
}

/* The simulated driver reads no sizes from a fat binary, so it is told them.
 * Needs the lock. */
static void symbol_tell(const struct symbol *symbol)
{
	void (*tell)(CUlibrary, const char *, size_t, int);

	*(void **)&tell = dlsym(driver_library, "sim_variable");
	if (tell)
		tell(symbol->binary->library, symbol->name, symbol->size,
		     symbol->managed != NULL);
}

/* Needs the lock. */
static int symbol_variable(struct symbol *symbol, CUdeviceptr *addr,
			   size_t *size)
{
	int res = binary_load(symbol->binary);

	if (res)
		return res;
	symbol_tell(symbol);
	return symbol->managed
		       ? driver_legacy.LibraryGetManaged(
				 addr, size, symbol->binary->library,
				 symbol->name)
		       : driver_legacy.LibraryGetGlobal(addr, size,
							symbol->binary->library,
							symbol->name);
}

int variable_find(const void *host, CUdeviceptr *addr, size_t *size)
{
	struct symbol *symbol;
	int res = runtime_enter();

	if (res)
		return res;
	pthread_mutex_lock(&lock);
	HASH_FIND_PTR(symbols, &host, symbol);
	res = symbol && symbol->size ? symbol_variable(symbol, addr, size)
				     : cudaErrorInvalidSymbol;
	pthread_mutex_unlock(&lock);
	return res == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : res;
}

/* Called before the host reads a managed variable for the first time. Without a
 * device the addresses stay NULL. */
char __cudaInitModule(void **handle)
{
	struct symbol *symbol, *next;
	CUdeviceptr addr;
	size_t size;

	pthread_mutex_lock(&lock);
	HASH_ITER (hh, symbols, symbol, next) {
		if (symbol->binary != (struct binary *)handle ||
		    !symbol->managed || *symbol->managed || runtime_enter())
			continue;
		if (!symbol_variable(symbol, &addr, &size))
			*symbol->managed = (void *)addr;
	}
	pthread_mutex_unlock(&lock);
	return 1;
}
