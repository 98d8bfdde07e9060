/* Launches whose stream is in a structure, with attributes that may loosen
 * their order in it. */
#include "call.h"
#include "hook.h"
#include "mem/mem.h"
#include "order/event_order.h"
#include "order/stream_order.h"
#include "order/streams.h"

/* Whether a kernel with this attribute still waits for all earlier work of its
 * stream. The attributes of programmatic launches let it start before its
 * predecessor ends. */
static bool attribute_keeps_order(const CUlaunchAttribute *attribute)
{
	switch (attribute->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
	case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
	case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: /* as NCCL's launches have */
		return true;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		return !attribute->value.programmaticStreamSerializationAllowed;
	default:
		return false;
	}
}

/* Whether one that does not keep the order may record an event. */
static bool attribute_may_record(const CUlaunchAttribute *attribute)
{
	return attribute->id !=
	       CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
}

/* CUDA refuses a launch without a configuration. Returns false if the kernel
 * need not wait for all earlier work of its stream. */
static bool launch_begin(const CUlaunchConfig *config, bool per_thread)
{
	bool keeps_order = true;

	stream_work_begin(config ? config->hStream : NULL, per_thread);
	if (!config)
		return keeps_order;
	for (unsigned int i = 0; config->attrs && i < config->numAttrs; i++) {
		if (attribute_keeps_order(config->attrs + i))
			continue;
		keeps_order = false;
		stream_order_break();
		if (mem_serves_streams())
			stream_loosens(config->hStream, per_thread);
		if (attribute_may_record(config->attrs + i))
			events_opaque();
	}
	return keeps_order;
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config,
				 CUfunction function, void **params,
				 void **extra)
{
	bool keeps_order = launch_begin(config, false);
	CUresult res;

	res = ROOM_CALL(cuLaunchKernelEx, config, function, params, extra);
	stream_launch_end(keeps_order && !res);
	return res;
}

EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config,
				      CUfunction function, void **params,
				      void **extra)
{
	bool keeps_order = launch_begin(config, true);
	CUresult res;

	res = ROOM_CALL(cuLaunchKernelEx_ptsz, config, function, params, extra);
	stream_launch_end(keeps_order && !res);
	return res;
}
