#include "moments.h"

#include "common/text.h"

enum { TEXT_SIZE = 80 };

static const char *const names[MNM_RECORD_KINDS] = {
	[MNM_RECORD_FAILED] = "failure",
	[MNM_RECORD_SWAP] = "swap",
	[MNM_RECORD_TRIM] = "trim",
	[MNM_RECORD_MARK] = "mark",
};

static void number_add(json_t *object, const char *key, uint64_t more)
{
	const json_t *sum = json_object_get(object, key);

	more += (uint64_t)json_integer_value(sum);
	json_object_set_new(object, key, json_integer((json_int_t)more));
}

void moments_add(struct moments *moments, uint64_t bucket,
		 const struct mnm_record_event *event)
{
	char text[TEXT_SIZE];
	json_t *one = moments->last[event->kind];

	if (!names[event->kind])
		return;
	if (!one || moments->buckets[event->kind] != bucket) {
		one = json_pack("{s:s,s:I,s:s}", "kind", names[event->kind],
				"time", (json_int_t)event->time, "text",
				text_plain(event->text, text, sizeof(text)));
		if (!moments->list)
			moments->list = json_array();
		json_array_append_new(moments->list, one);
		moments->last[event->kind] = one;
		moments->buckets[event->kind] = bucket;
	}
	number_add(one, "count", 1);
	number_add(one, "bytes",
		   event->kind == MNM_RECORD_MARK ? 0 : event->size);
}
