#include "slow_calls.h"

#include <mnm/record.h>

#include "holders.h"

void slow_calls_add(struct slow_calls *calls, struct slow_call call)
{
	unsigned int at = calls->kept;

	calls->count++;
	calls->sum += call.took;
	if (at == SLOW_CALLS_MOST && call.took <= calls->slowest[at - 1].took)
		return;
	if (at == SLOW_CALLS_MOST)
		at--;
	else
		calls->kept++;
	for (; at && calls->slowest[at - 1].took < call.took; at--)
		calls->slowest[at] = calls->slowest[at - 1];
	calls->slowest[at] = call;
}

static const char *kind_name(const struct slow_call *call)
{
	return call->kind == MNM_RECORD_FREE     ? "free"
	       : call->kind == MNM_RECORD_FAILED ? "failed"
						 : "request";
}

static json_t *call_json(const struct slow_call *call, struct symbols *symbols)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];

	site_names(symbols, call->site, file, function);
	return json_pack("{s:I,s:I,s:I,s:I,s:s,s:s,s:s}", "took",
			 (json_int_t)call->took, "time", (json_int_t)call->time,
			 "size", (json_int_t)call->size, "thread",
			 (json_int_t)call->thread, "kind", kind_name(call),
			 "file", file, "function", function);
}

json_t *slow_calls_json(const struct slow_calls *calls, struct symbols *symbols)
{
	json_t *slowest;

	if (!calls->count)
		return NULL;
	slowest = json_array();
	for (unsigned int i = 0; i < calls->kept; i++)
		json_array_append_new(slowest,
				      call_json(&calls->slowest[i], symbols));
	return json_pack("{s:I,s:I,s:o}", "count", (json_int_t)calls->count,
			 "sum", (json_int_t)calls->sum, "slowest", slowest);
}
