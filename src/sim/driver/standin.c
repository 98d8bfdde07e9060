#include "standin.h"

#include <dlfcn.h>
#include <string.h>

#include "device.h"
#include "extent.h"
#include "op.h"
#include "thread.h"
#include "world.h"

static const size_t span_most = (size_t)64 << 20; /* bytes of each span */

enum {
	READS = PTX_USE_READ | PTX_USE_ATOMIC | PTX_USE_ESCAPES,
	WRITES = PTX_USE_WRITE | PTX_USE_ATOMIC | PTX_USE_ESCAPES,
};

typedef CUresult (*range_entry)(CUdeviceptr *base, size_t *size,
				CUdeviceptr addr);

/* The entry that the program has in place of this driver's, or NULL. */
static range_entry asked_find(void)
{
	static range_entry entry;
	static bool looked;
	Dl_info own, info;
	void *found;

	if (looked)
		return entry;
	looked = true;
	/* By the program's scope: this library's own begins with itself. */
	found = dlsym(dlopen(NULL, RTLD_LAZY), "cuMemGetAddressRange_v2");
	if (found && dladdr((const void *)asked_find, &own) &&
	    dladdr(found, &info) && own.dli_fbase != info.dli_fbase)
		memcpy(&entry, &found, sizeof(entry));
	return entry;
}

/* The entry calls this driver in turn, on the same thread. */
static CUresult ask(range_entry entry, CUdeviceptr *base, size_t *size,
		    CUdeviceptr addr)
{
	struct thread before = self;
	CUresult res;

	pthread_mutex_unlock(&world.lock);
	res = entry(base, size, addr);
	pthread_mutex_lock(&world.lock);
	self.per_thread = before.per_thread;
	self.late = before.late;
	self.call = before.call;
	return res;
}

struct span standin_span(CUdeviceptr addr)
{
	range_entry entry = asked_find();
	struct extent extent;
	CUdeviceptr base;
	size_t size;

	if (!extent_find(addr, &extent))
		return (struct span){addr, 0};
	if (entry && !ask(entry, &base, &size, addr) && addr - base < size)
		return (struct span){addr, base + size - addr};
	return (struct span){addr, extent.end - addr};
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t bytes_hash(uint64_t hash, const char *bytes, size_t size)
{
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = mix(hash, word);
		bytes += sizeof(word);
	}
	word = size;
	memcpy(&word, bytes, size);
	return mix(hash, word);
}

/* Whether a word of an argument is an address, whose value may differ from run
 * to run. */
static bool is_address(const char *word)
{
	struct extent extent;
	CUdeviceptr value;

	memcpy(&value, word, sizeof(value));
	return device_owns(value) || extent_find(value, &extent);
}

uint64_t standin_scalars(const struct code *code,
			 const struct sim_launch *shape, void **args)
{
	const struct sim_kernel *row = &code->row;
	uint64_t hash = bytes_hash(0, row->name, strlen(row->name));

	hash = bytes_hash(hash, (const char *)shape->grid, sizeof(shape->grid));
	hash = bytes_hash(hash, (const char *)shape->block,
			  sizeof(shape->block));
	hash = mix(hash, shape->shared_bytes);
	for (size_t i = 0; i < row->arg_count; i++) {
		const char *arg = args[i];
		size_t size = row->arg_sizes[i], at = 0;

		for (; at + sizeof(void *) <= size; at += sizeof(void *))
			if (!is_address(arg + at))
				hash = bytes_hash(hash, arg + at,
						  sizeof(void *));
		hash = bytes_hash(hash, arg + at, size - at);
	}
	return hash;
}

/* How much of each span a launch touches at most, if each thread moves so many
 * bytes in all, and the spans share them. */
static size_t most_of(const struct op *op, size_t thread_bytes, unsigned flags)
{
	const struct code *code = op->launch.code;
	const struct sim_launch *shape = &op->launch.shape;
	uint64_t threads = 1;
	size_t spans = 0;

	if (code->body.repeats || !thread_bytes)
		return span_most;
	for (int i = 0; i < 3; i++)
		threads *= (uint64_t)shape->grid[i] * shape->block[i];
	for (size_t i = 0; i < code->use_count; i++)
		spans += (code->uses[i].flags & flags) != 0;
	thread_bytes = (thread_bytes + spans - 1) / (spans ? spans : 1);
	return threads > span_most / thread_bytes ? span_most
						  : threads * thread_bytes;
}

static struct span span_part(const struct op *op, size_t i, unsigned flags,
			     size_t thread_bytes)
{
	const struct ptx_use *use = &op->launch.code->uses[i];
	struct span span = op->launch.bound->spans[i];
	size_t most = most_of(op, thread_bytes, flags);

	if (!(use->flags & flags))
		span.size = 0;
	else if (!use->variable && span.size > most)
		span.size = most;
	return span;
}

struct span standin_reads(const struct op *op, size_t i)
{
	return span_part(op, i, READS, op->launch.code->body.loads);
}

struct span standin_writes(const struct op *op, size_t i)
{
	struct span none = {0};

	if (op->launch.code->uses[i].variable &&
	    op->launch.code->uses[i].variable->constant)
		return none;
	return span_part(op, i, WRITES, op->launch.code->body.stores);
}

/* Eight bytes of elements, made of a hash. The program may take integers for
 * indices and sizes, so they are small. */
static uint64_t values_of(const struct ptx_body *body, uint64_t hash)
{
	uint64_t word = 0;
	float singles[2];
	double one;

	if (body->floats && body->element == sizeof(float)) {
		singles[0] = (float)(hash & 0xffffff) / 0x1p24f;
		singles[1] = (float)(hash >> 40) / 0x1p24f;
		memcpy(&word, singles, sizeof(word));
	} else if (body->floats && body->element == sizeof(double)) {
		one = (double)(hash >> 11) / 0x1p53;
		memcpy(&word, &one, sizeof(word));
	} else if (body->element <= 1) {
		word = hash & 0x7f7f7f7f7f7f7f7fu;
	} else if (body->element == 2) {
		word = hash & 0x007f007f007f007fu;
	} else if (body->element == 4) {
		word = hash & 0x0000007f0000007fu;
	} else {
		word = hash & 0x7f;
	}
	return word;
}

static void span_write(const struct ptx_body *body, struct span span,
		       uint64_t hash)
{
	char *at = (char *)span.addr;

	for (size_t place = 0; place < span.size; place += sizeof(uint64_t)) {
		uint64_t word = values_of(body, mix(mix(hash, place), hash));
		size_t left = span.size - place;

		memcpy(at + place, &word,
		       left < sizeof(word) ? left : sizeof(word));
	}
}

/* All is read before anything is written, since spans may be the same. */
CUresult standin_run(const struct op *op)
{
	const struct code *code = op->launch.code;
	uint64_t hash = op->launch.bound->scalars;

	for (size_t i = 0; i < code->use_count; i++) {
		struct span span = standin_reads(op, i);

		if (span.size && !extent_has(span.addr, span.size, false))
			return CUDA_ERROR_ILLEGAL_ADDRESS;
		hash = bytes_hash(mix(hash, i), (const char *)span.addr,
				  span.size);
	}
	for (size_t i = 0; i < code->use_count; i++) {
		struct span span = standin_writes(op, i);

		if (span.size && !extent_has(span.addr, span.size, true))
			return CUDA_ERROR_ILLEGAL_ADDRESS;
		span_write(&code->body, span, mix(hash, i));
	}
	return CUDA_SUCCESS;
}
