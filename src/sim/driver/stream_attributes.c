/* Attributes of streams. They are kept and told, and change nothing but the
 * priority. */
#include "context.h"
#include "entries.h"
#include "launch_attributes.h"
#include "stream.h"
#include "world.h"

static bool is_known(CUstreamAttrID what)
{
	return what == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
	       what == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
	       what == CU_STREAM_ATTRIBUTE_PRIORITY ||
	       what == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
	       what == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

static CUresult attribute_find(CUstream handle, CUstreamAttrID what,
			       const void *value, struct stream **stream)
{
	CUresult res = stream_find(handle, stream);

	if (!res && (!value || !is_known(what)))
		res = CUDA_ERROR_INVALID_VALUE;
	return res;
}

CUresult sim_cuStreamGetAttribute(CUstream handle, CUstreamAttrID what,
				  CUstreamAttrValue *value)
{
	struct stream *stream;
	CUresult res = attribute_find(handle, what, value, &stream);

	if (res)
		return res;
	if (what == CU_STREAM_ATTRIBUTE_PRIORITY)
		value->priority = stream->priority;
	else if (what == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)
		value->accessPolicyWindow = stream->attributes.window;
	else if (what == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
		value->syncPolicy = stream->attributes.policy;
	else if (what == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN)
		value->memSyncDomain = stream->attributes.domain;
	else
		value->memSyncDomainMap = stream->attributes.domain_map;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamSetAttribute(CUstream handle, CUstreamAttrID what,
				  const CUstreamAttrValue *value)
{
	struct stream *stream;
	CUresult res = attribute_find(handle, what, value, &stream);

	if (res)
		return res;
	if (!attribute_fits(what, value))
		return CUDA_ERROR_INVALID_VALUE;
	if (what == CU_STREAM_ATTRIBUTE_PRIORITY)
		stream->priority = stream_priority(value->priority);
	else if (what == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)
		stream->attributes.window = value->accessPolicyWindow;
	else if (what == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
		stream->attributes.policy = value->syncPolicy;
	else if (what == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN)
		stream->attributes.domain = value->memSyncDomain;
	else
		stream->attributes.domain_map = value->memSyncDomainMap;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamCopyAttributes(CUstream to, CUstream from)
{
	struct stream *target, *source;
	CUresult res = stream_find(to, &target);

	if (!res)
		res = stream_find(from, &source);
	if (!res && target->ctx != source->ctx)
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	target->attributes = source->attributes;
	target->priority = source->priority;
	return CUDA_SUCCESS;
}
