/* Streams, captures and graphs by the driver's calls. All have names, as memory
 * has. Each answer starts with the call's result. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

static CUstream stream_of(const char *name)
{
	return (CUstream)shell_memory(name)->addr;
}

static CUgraph graph_of(const char *name)
{
	return (CUgraph)shell_memory(name)->addr;
}

/* Prints the result, and names what was made. */
static void made(const char *name, CUresult result, const void *handle)
{
	printf("%d", (int)result);
	if (!result)
		shell_memory(name)->addr = (uint64_t)handle;
}

static void stream_made(const char *name, unsigned int flags)
{
	CUstream stream = NULL;
	CUresult result = cuStreamCreate(&stream, flags);

	made(name, result, stream);
}

static void run_stream(char **words)
{
	stream_made(words[0], CU_STREAM_NON_BLOCKING);
}

/* One that waits for the legacy stream. */
static void run_stream_blocking(char **words)
{
	stream_made(words[0], CU_STREAM_DEFAULT);
}

static void run_stream_destroy(char **words)
{
	printf("%d", (int)cuStreamDestroy(stream_of(words[0])));
}

static void run_stream_sync(char **words)
{
	printf("%d", (int)cuStreamSynchronize(stream_of(words[0])));
}

static void run_stream_fill(char **words)
{
	struct shell_memory *memory = shell_memory(words[1]);

	printf("%d",
	       (int)cuMemsetD8Async(memory->addr, (unsigned char)atoi(words[2]),
				    memory->size, stream_of(words[0])));
}

static CUstreamCaptureMode mode_of(const char *name)
{
	return !strcmp(name, "global")   ? CU_STREAM_CAPTURE_MODE_GLOBAL
	       : !strcmp(name, "thread") ? CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
					 : CU_STREAM_CAPTURE_MODE_RELAXED;
}

static void run_begin(char **words)
{
	printf("%d", (int)cuStreamBeginCapture(stream_of(words[0]),
					       mode_of(words[1])));
}

/* Begins a capture into an existing graph. */
static void run_begin_into(char **words)
{
	printf("%d", (int)cuStreamBeginCaptureToGraph(
			     stream_of(words[0]), graph_of(words[2]), NULL,
			     NULL, 0, mode_of(words[1])));
}

/* Begins a capture in the thread's own stream. */
static void run_begin_own(char **words)
{
	printf("%d", (int)cuStreamBeginCapture(CU_STREAM_PER_THREAD,
					       mode_of(words[0])));
}

/* Gives that stream a name. */
static void run_own(char **words)
{
	made(words[0], CUDA_SUCCESS, CU_STREAM_PER_THREAD);
}

static void run_end(char **words)
{
	CUgraph graph = NULL;
	CUresult result = cuStreamEndCapture(stream_of(words[0]), &graph);

	made(words[1], result, graph);
}

static void run_instantiate(char **words)
{
	CUgraphExec exec = NULL;
	CUresult result = cuGraphInstantiate(&exec, graph_of(words[0]), 0);

	made(words[1], result, exec);
}

static void run_clone(char **words)
{
	CUgraph graph = NULL;
	CUresult result = cuGraphClone(&graph, graph_of(words[0]));

	made(words[1], result, graph);
}

/* Makes a graph whose one node is another graph. */
static void run_parent(char **words)
{
	CUgraph graph = NULL;
	CUgraphNode node;
	CUresult result = cuGraphCreate(&graph, 0);

	if (!result)
		result = cuGraphAddChildGraphNode(&node, graph, NULL, 0,
						  graph_of(words[0]));
	made(words[1], result, graph);
}

static void run_update(char **words)
{
	CUgraphExecUpdateResultInfo info;

	printf("%d", (int)cuGraphExecUpdate((CUgraphExec)graph_of(words[0]),
					    graph_of(words[1]), &info));
}

static void run_launch(char **words)
{
	printf("%d", (int)cuGraphLaunch((CUgraphExec)graph_of(words[0]),
					stream_of(words[1])));
}

static void run_graph_destroy(char **words)
{
	printf("%d", (int)cuGraphDestroy(graph_of(words[0])));
}

static void run_exec_destroy(char **words)
{
	printf("%d", (int)cuGraphExecDestroy((CUgraphExec)graph_of(words[0])));
}

const struct shell_command shell_graphs[] = {
	{"stream", 1, run_stream},
	{"stream_blocking", 1, run_stream_blocking},
	{"stream_destroy", 1, run_stream_destroy},
	{"stream_sync", 1, run_stream_sync},
	{"stream_fill", 3, run_stream_fill},
	{"begin", 2, run_begin},
	{"begin_into", 3, run_begin_into},
	{"begin_own", 1, run_begin_own},
	{"own", 1, run_own},
	{"end", 2, run_end},
	{"instantiate", 2, run_instantiate},
	{"clone", 2, run_clone},
	{"parent", 2, run_parent},
	{"update", 2, run_update},
	{"launch", 2, run_launch},
	{"graph_destroy", 1, run_graph_destroy},
	{"exec_destroy", 1, run_exec_destroy},
	{NULL, 0, NULL},
};
