/* Nodes for events; nodes of copies of graphs; and a graph's picture. */
#include "runtime.h"

/* An entry whose arguments the driver takes as they are. */
#define PASS(name, params, args) \
	EXPORT cudaError_t cudaGraph##name params \
	{ \
		int res = runtime_enter(); \
\
		if (!res) \
			res = driver_legacy.Graph##name args; \
		return runtime_result(res); \
	}

/* clang-format off */
PASS(AddEventRecordNode,
     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
      size_t count, cudaEvent_t event),
     (node, graph, before, count, event))
PASS(AddEventWaitNode,
     (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
      size_t count, cudaEvent_t event),
     (node, graph, before, count, event))
PASS(EventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
     (node, event))
PASS(EventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
     (node, event))
PASS(EventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
     (node, event))
PASS(EventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
     (node, event))
PASS(ExecEventRecordNodeSetEvent,
     (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
     (exec, node, event))
PASS(ExecEventWaitNodeSetEvent,
     (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
     (exec, node, event))
PASS(ExecChildGraphNodeSetParams,
     (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child),
     (exec, node, child))
PASS(NodeFindInClone,
     (cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone),
     (node, original, clone))
PASS(NodeSetEnabled,
     (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled),
     (exec, node, enabled))
PASS(NodeGetEnabled,
     (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled),
     (exec, node, enabled))
PASS(DebugDotPrint, (cudaGraph_t graph, const char *path, unsigned int flags),
     (graph, path, flags))
/* clang-format on */
