/* Usage: past_end [SIZE WORDS [freed] | pinned]
 *
 * Makes each kind of copy and fill inside an allocation, past its end and after
 * it was freed, and prints one line for each kind: its name and the results.
 * Another allocation lies behind each one, if memory is placed in order. With
 * arguments, makes one fill of the only allocation, or a copy from pinned
 * memory. */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64 << 10, PITCH = 512 };

static CUdeviceptr other; /* as long as whatever is tried */
static char host[4 * SIZE];
static CUstream stream;
static CUcontext context;
static CUgraph graph;
static size_t failed;

/* Copies or fills so many bytes from that address on, a multiple of PITCH. */
struct kind {
	const char *name;
	CUresult (*run)(CUdeviceptr addr, size_t bytes);
};

#define RUN(name, call) \
	static CUresult run_##name(CUdeviceptr addr, size_t bytes) \
	{ \
		return call; \
	}
RUN(copy_to, cuMemcpy(addr, other, bytes))
RUN(copy_from, cuMemcpy(other, addr, bytes))
RUN(async_to, cuMemcpyAsync(addr, other, bytes, stream))
RUN(async_from, cuMemcpyAsync(other, addr, bytes, stream))
RUN(host_to, cuMemcpyHtoD(addr, host, bytes))
RUN(host_from, cuMemcpyDtoH(host, addr, bytes))
RUN(host_to_async, cuMemcpyHtoDAsync(addr, host, bytes, stream))
RUN(host_from_async, cuMemcpyDtoHAsync(host, addr, bytes, stream))
RUN(device_to, cuMemcpyDtoD(addr, other, bytes))
RUN(device_from, cuMemcpyDtoD(other, addr, bytes))
RUN(device_to_async, cuMemcpyDtoDAsync(addr, other, bytes, stream))
RUN(device_from_async, cuMemcpyDtoDAsync(other, addr, bytes, stream))
RUN(peer_to, cuMemcpyPeer(addr, context, other, context, bytes))
RUN(peer_from_async,
    cuMemcpyPeerAsync(other, context, addr, context, bytes, stream))
RUN(fill8, cuMemsetD8(addr, 1, bytes))
RUN(fill16, cuMemsetD16(addr, 1, bytes / 2))
RUN(fill32, cuMemsetD32(addr, 1, bytes / 4))
RUN(fill8_async, cuMemsetD8Async(addr, 1, bytes, stream))
RUN(fill16_async, cuMemsetD16Async(addr, 1, bytes / 2, stream))
RUN(fill32_async, cuMemsetD32Async(addr, 1, bytes / 4, stream))
RUN(rows8, cuMemsetD2D8(addr, PITCH, 1, PITCH, bytes / PITCH))
RUN(rows16, cuMemsetD2D16(addr, PITCH, 1, PITCH / 2, bytes / PITCH))
RUN(rows32, cuMemsetD2D32(addr, PITCH, 1, PITCH / 4, bytes / PITCH))
RUN(rows32_async,
    cuMemsetD2D32Async(addr, PITCH, 1, PITCH / 4, bytes / PITCH, stream))
#undef RUN

/* All rows but the first two. */
static CUDA_MEMCPY2D flat(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return (CUDA_MEMCPY2D){
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = dst,
		.dstPitch = PITCH,
		.dstY = 2,
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
		.srcDevice = src,
		.srcPitch = PITCH,
		.srcY = 2,
		.WidthInBytes = PITCH,
		.Height = bytes / PITCH - 2,
	};
}

static CUresult run_flat_to(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMCPY2D copy = flat(addr, other, bytes);

	return cuMemcpy2D(&copy);
}

static CUresult run_flat_from(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMCPY2D copy = flat(other, addr, bytes);

	return cuMemcpy2DAsync(&copy, stream);
}

/* Two slices, each without its first row. */
static CUDA_MEMCPY3D deep(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	size_t rows = bytes / PITCH / 2;

	return (CUDA_MEMCPY3D){
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = dst,
		.dstPitch = PITCH,
		.dstHeight = rows,
		.dstY = 1,
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = src,
		.srcPitch = PITCH,
		.srcHeight = rows,
		.srcY = 1,
		.WidthInBytes = PITCH,
		.Height = rows - 1,
		.Depth = 2,
	};
}

static CUresult run_deep_to(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMCPY3D copy = deep(addr, other, bytes);

	return cuMemcpy3D(&copy);
}

/* The second slice alone. */
static CUresult run_deep_from(CUdeviceptr addr, size_t bytes)
{
	CUDA_MEMCPY3D copy = deep(other, addr, bytes);

	copy.dstZ = copy.srcZ = copy.Depth = 1;
	return cuMemcpy3DAsync(&copy, stream);
}

static CUresult run_deep_peer(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMCPY3D_PEER copy = {
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = other,
		.dstContext = context,
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = addr,
		.srcContext = context,
		.WidthInBytes = bytes,
		.Height = 1,
		.Depth = 1,
	};

	return cuMemcpy3DPeer(&copy);
}

/* The second one of a batch is the one to be judged. */
static CUresult run_batch(CUdeviceptr addr, size_t bytes)
{
	CUdeviceptr dsts[] = {other, addr}, srcs[] = {other, other};
	size_t sizes[] = {PITCH, bytes}, first = 0;
	CUmemcpyAttributes how = {.srcAccessOrder =
					  CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};

	return cuMemcpyBatchAsync(dsts, srcs, sizes, 2, &how, &first, 1,
				  stream);
}

static CUresult run_old_batch(CUdeviceptr addr, size_t bytes)
{
	typedef CUresult (*entry)(CUdeviceptr *, CUdeviceptr *, size_t *,
				  size_t, CUmemcpyAttributes *, size_t *,
				  size_t, size_t *, CUstream);
	CUdeviceptr dsts[] = {other, other}, srcs[] = {other, addr};
	size_t sizes[] = {PITCH, bytes}, first = 0;
	CUmemcpyAttributes how = {.srcAccessOrder =
					  CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	void *found = NULL;

	failed = 0;
	if (cuGetProcAddress("cuMemcpyBatchAsync", &found, 12080, 0, NULL))
		return CUDA_ERROR_NOT_FOUND;
	return ((entry)found)(dsts, srcs, sizes, 2, &how, &first, 1, &failed,
			      stream);
}

static CUresult run_boxes(CUdeviceptr addr, size_t bytes)
{
	CUDA_MEMCPY3D_BATCH_OP copy = {
		.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
			.op.ptr.ptr = addr},
		.dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
			.op.ptr.ptr = other},
		.extent = {PITCH, bytes / PITCH, 1},
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
	};

	return cuMemcpy3DBatchAsync(1, &copy, 0, stream);
}

static CUresult run_captured(CUdeviceptr addr, size_t bytes)
{
	CUgraph made = NULL;
	CUresult res, ended;

	res = cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	if (res)
		return res;
	res = cuMemcpyDtoDAsync(addr, other, bytes, stream);
	ended = cuStreamEndCapture(stream, &made);
	if (made)
		cuGraphDestroy(made);
	return res ? res : ended;
}

static CUDA_MEMSET_NODE_PARAMS filling(CUdeviceptr addr, size_t bytes)
{
	return (CUDA_MEMSET_NODE_PARAMS){.dst = addr,
					 .elementSize = 4,
					 .width = PITCH / 4,
					 .pitch = PITCH,
					 .height = bytes / PITCH};
}

static CUresult run_fill_node(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMSET_NODE_PARAMS fill = filling(addr, bytes);
	CUgraphNode node;

	return cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, context);
}

static CUresult run_copy_node(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMCPY3D copy = {
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = addr,
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = other,
		.WidthInBytes = bytes,
		.Height = 1,
		.Depth = 1,
	};
	CUgraphNode node;

	return cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context);
}

static CUresult run_any_node(CUdeviceptr addr, size_t bytes)
{
	CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
	CUgraphNode node;

	any.memset.dst = addr;
	any.memset.elementSize = 4;
	any.memset.width = bytes / 4;
	any.memset.height = 1;
	any.memset.ctx = context;
	return cuGraphAddNode(&node, graph, NULL, NULL, 0, &any);
}

static CUresult run_any_copy_node(CUdeviceptr addr, size_t bytes)
{
	CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	CUDA_MEMCPY3D *copy = &any.memcpy.copyParams;
	CUgraphNode node;

	any.memcpy.copyCtx = context;
	copy->dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy->dstDevice = other;
	copy->srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy->srcDevice = addr;
	copy->WidthInBytes = bytes;
	copy->Height = copy->Depth = 1;
	return cuGraphAddNode(&node, graph, NULL, NULL, 0, &any);
}

static CUresult run_node_again(CUdeviceptr addr, size_t bytes)
{
	const CUDA_MEMSET_NODE_PARAMS right = filling(other, PITCH),
				      fill = filling(addr, bytes);
	CUgraphNode node;
	CUresult res =
		cuGraphAddMemsetNode(&node, graph, NULL, 0, &right, context);

	return res ? res : cuGraphMemsetNodeSetParams(node, &fill);
}

#define KIND(name) \
	{ \
#name, run_##name \
	}
static const struct kind kinds[] = {
	KIND(copy_to),       KIND(copy_from),       KIND(async_to),
	KIND(async_from),    KIND(host_to),         KIND(host_from),
	KIND(host_to_async), KIND(host_from_async), KIND(device_to),
	KIND(device_from),   KIND(device_to_async), KIND(device_from_async),
	KIND(peer_to),       KIND(peer_from_async), KIND(fill8),
	KIND(fill16),        KIND(fill32),          KIND(fill8_async),
	KIND(fill16_async),  KIND(fill32_async),    KIND(rows8),
	KIND(rows16),        KIND(rows32),          KIND(rows32_async),
	KIND(flat_to),       KIND(flat_from),       KIND(deep_to),
	KIND(deep_from),     KIND(deep_peer),       KIND(batch),
	KIND(old_batch),     KIND(boxes),           KIND(captured),
	KIND(fill_node),     KIND(copy_node),       KIND(any_node),
	KIND(any_copy_node), KIND(node_again),
};

/* Whether the memory behind the allocation is as it was. */
static const char *behind(CUdeviceptr addr)
{
	static char bytes[SIZE];

	cuCtxSynchronize();
	cuMemcpyDtoH(bytes, addr, SIZE);
	for (size_t i = 0; i < SIZE; i++)
		if (bytes[i] != 7)
			return "changed";
	return "kept";
}

static void try_kind(const struct kind *kind)
{
	CUdeviceptr addr = 0, next = 0;
	CUresult inside, part, past, from, freed;

	cuMemAlloc(&addr, SIZE);
	cuMemAlloc(&next, SIZE);
	cuMemsetD8(next, 7, SIZE);
	failed = 0;
	inside = kind->run(addr, SIZE);
	part = kind->run(addr + SIZE - 8 * PITCH, 8 * PITCH);
	past = kind->run(addr, SIZE + 2 * PITCH);
	from = kind->run(addr + SIZE / 2, SIZE);
	printf("%s %d %d %d %d", kind->name, inside, part, past, from);
	if (!strcmp(kind->name, "old_batch"))
		printf(" %zu", failed);
	printf(" %s", behind(next));
	cuMemFree(addr);
	freed = kind->run(addr, SIZE);
	printf(" %d\n", freed);
	cuMemFree(next);
}

/* Fills so many words of an allocation of that size. */
static int fill_words(const char *size, const char *count, bool freed)
{
	CUdeviceptr addr = 0;

	cuMemFree(other);
	cuMemAlloc(&addr, strtoull(size, NULL, 10));
	if (freed)
		cuMemFree(addr);
	printf("%d\n", cuMemsetD32(addr, 0, strtoull(count, NULL, 10)));
	return 0;
}

/* Copies from the end of a pinned allocation, and from behind it. */
static int copy_pinned(void)
{
	void *first = NULL, *next = NULL;

	cuMemHostAlloc(&first, SIZE, 0);
	cuMemHostAlloc(&next, SIZE, 0);
	printf("%d\n",
	       cuMemcpy(other, (CUdeviceptr)first + SIZE - PITCH, 2 * PITCH));
	return 0;
}

int main(int argc, char **argv)
{
	if (cuInit(0) || cuCtxCreate(&context, NULL, 0, 0) ||
	    cuStreamCreate(&stream, CU_STREAM_DEFAULT) ||
	    cuGraphCreate(&graph, 0) || cuMemAlloc(&other, 4 * (size_t)SIZE))
		return 1;
	if (argc > 2)
		return fill_words(argv[1], argv[2], argc > 3);
	if (argc == 2)
		return copy_pinned();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		try_kind(&kinds[i]);
	return 0;
}
