/* A snapshot of PyTorch's allocator: what torch.cuda.memory._dump_snapshot()
 * writes. The blocks that were there before its trace began are known from what
 * is live at the end, and from frees. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "torch.h"

typedef const struct pickle_value value;

/* An address that has been some block's. */
struct place {
	struct place_key {
		uint64_t address, device;
	} key;
	bool live, before; /* before: as the trace began */
	UT_hash_handle hh;
};

/* An entry of a trace. */
struct entry {
	value *value;
	unsigned int device;
	uint64_t address, size, span, time_us;
	uint32_t stream;
	value *frames;
};

static const char no_memory[] = "no memory to read it";

static bool text_is(value *text, const char *word)
{
	return text && text->kind == PICKLE_TEXT &&
	       text->count == strlen(word) &&
	       !memcmp(text->text, word, text->count);
}

static bool number_get(const struct torch *torch, value *dict, const char *key,
		       uint64_t *number)
{
	value *found = pickle_field(torch->pickle, dict, key);

	if (!found || found->kind != PICKLE_NUMBER || found->number < 0)
		return false;
	*number = (uint64_t)found->number;
	return true;
}

static uint32_t list_count(value *list)
{
	return list && list->kind == PICKLE_LIST ? list->count : 0;
}

/* NULL without memory. */
static struct place *place_get(struct torch *torch, uint64_t device,
			       uint64_t address, bool *fresh)
{
	struct place_key key = {address, device};
	struct place *place;

	/* NOLINTNEXTLINE(*-core.*): uthash sets place */
	HASH_FIND(hh, torch->places, &key, sizeof(key), place);
	*fresh = !place;
	if (place)
		return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->key = key;
	HASH_ADD(hh, torch->places, key, sizeof(key), place);
	if (place->hh.tbl)
		return place;
	free(place);
	return NULL;
}

static bool is_free(value *action)
{
	return text_is(action, "free_requested") ||
	       text_is(action, "free_completed") || text_is(action, "free");
}

static bool is_segments(value *action, const char *end)
{
	char map[32], whole[32];

	snprintf(whole, sizeof(whole), "segment_%s", end);
	snprintf(map, sizeof(map), "segment_%s",
		 strcmp(end, "alloc") ? "unmap" : "map");
	return text_is(action, whole) || text_is(action, map);
}

/* Reads what each entry has. The address is that of some actions only. */
static const char *entry_read(struct torch *torch, unsigned int device,
			      uint32_t i, struct entry *entry)
{
	value *trace = pickle_item(torch->pickle, torch->traces, device);
	uint64_t stream = 0;

	*entry = (struct entry){
		.value = pickle_item(torch->pickle, trace, i),
		.device = device,
	};
	if (!number_get(torch, entry->value, "size", &entry->size))
		return import_wrong(torch->import,
				    "entry %" PRIu32 " of device %u has no "
				    "size",
				    i + 1, device);
	number_get(torch, entry->value, "addr", &entry->address);
	number_get(torch, entry->value, "span", &entry->span);
	number_get(torch, entry->value, "stream", &stream);
	number_get(torch, entry->value, "time_us", &entry->time_us);
	entry->frames = pickle_field(torch->pickle, entry->value, "frames");
	return import_stream(torch->import, stream, &entry->stream);
}

/* Adds an event. The site is that of the frames. */
static const char *entry_event(struct torch *torch, const struct entry *entry,
			       enum mnm_record_kind kind, unsigned int flags)
{
	uint64_t after = entry->time_us > torch->first_us
				 ? entry->time_us - torch->first_us
				 : 0;
	struct mnm_record_event event = {
		.time = after < UINT64_MAX / 1000 ? after * 1000 : 0,
		.address = entry->address,
		.size = entry->size,
		.span = entry->span,
		.stream = entry->stream,
		.device = (uint8_t)entry->device,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
	};
	const char *wrong =
		torch_site(torch, entry->frames, event.time, &event.site);

	return wrong ? wrong : import_event(torch->import, &event);
}

/* Before the trace: a block that is freed in it and was not asked for. */
static const char *before_entry(struct torch *torch, struct entry *entry)
{
	value *action = pickle_field(torch->pickle, entry->value, "action");
	bool asked = text_is(action, "alloc"), fresh;
	struct place *place;

	if (!asked && !is_free(action))
		return NULL;
	place = place_get(torch, entry->device, entry->address, &fresh);
	if (!place)
		return no_memory;
	place->live = asked;
	if (asked || !fresh)
		return NULL;
	place->before = true;
	entry->frames = NULL; /* those of the free */
	entry->time_us = 0;
	return entry_event(torch, entry, MNM_RECORD_LIVE, MNM_RECORD_SERVED);
}

static const char *before_traces(struct torch *torch)
{
	uint32_t devices = list_count(torch->traces);
	const char *wrong = NULL;
	struct entry entry;

	torch->first_us = UINT64_MAX;
	for (unsigned int device = 0; device < devices && !wrong; device++) {
		value *trace =
			pickle_item(torch->pickle, torch->traces, device);

		for (uint32_t i = 0; i < list_count(trace) && !wrong; i++) {
			wrong = entry_read(torch, device, i, &entry);
			if (!wrong && entry.time_us < torch->first_us)
				torch->first_us = entry.time_us;
			if (!wrong)
				wrong = before_entry(torch, &entry);
		}
	}
	if (torch->first_us == UINT64_MAX)
		torch->first_us = 0;
	return wrong;
}

/* A block that is live at the end, and was not asked for in the trace. */
static const char *before_block(struct torch *torch, value *block,
				struct entry *entry, uint64_t *size)
{
	value *state = pickle_field(torch->pickle, block, "state");
	struct place *place;
	bool fresh;

	entry->span = 0;
	if (!number_get(torch, block, "size", &entry->size))
		return "a block of a segment has no size";
	*size = entry->size;
	if (!text_is(state, "active_allocated"))
		return NULL;
	number_get(torch, block, "address", &entry->address);
	number_get(torch, block, "requested_size", &entry->size);
	number_get(torch, block, "span", &entry->span);
	entry->frames = pickle_field(torch->pickle, block, "frames");
	place = place_get(torch, entry->device, entry->address, &fresh);
	if (!place)
		return no_memory;
	if (!fresh)
		return NULL;
	place->before = true;
	return entry_event(torch, entry, MNM_RECORD_LIVE, MNM_RECORD_SERVED);
}

static const char *before_segment(struct torch *torch, value *segment)
{
	value *blocks = pickle_field(torch->pickle, segment, "blocks");
	uint64_t device = 0, stream = 0, address, size = 0;
	struct entry entry = {0};
	const char *wrong;

	number_get(torch, segment, "device", &device);
	number_get(torch, segment, "stream", &stream);
	if (!number_get(torch, segment, "address", &address))
		return "a segment has no address";
	if (device >= TORCH_DEVICES)
		return "a segment is of a device above 63";
	entry.device = (unsigned int)device;
	wrong = import_stream(torch->import, stream, &entry.stream);
	for (uint32_t i = 0; i < list_count(blocks) && !wrong; i++) {
		entry.address = address;
		wrong = before_block(torch,
				     pickle_item(torch->pickle, blocks, i),
				     &entry, &size);
		address += size;
	}
	return wrong;
}

static const char *entry_take(struct torch *torch, const struct entry *entry)
{
	value *action = pickle_field(torch->pickle, entry->value, "action");
	bool *asked = &torch->asked[entry->device];
	unsigned int flags = MNM_RECORD_SERVED;
	struct place *place;
	bool fresh;

	if (text_is(action, "oom"))
		return entry_event(torch, entry, MNM_RECORD_FAILED, flags);
	if (is_segments(action, "free"))
		return entry_event(torch, entry, MNM_RECORD_TRIM, 0);
	*asked |= is_segments(action, "alloc");
	if (!text_is(action, "alloc") && !is_free(action))
		return NULL;
	place = place_get(torch, entry->device, entry->address, &fresh);
	if (!place)
		return no_memory;
	if (is_free(action)) {
		if (!place->live)
			return NULL; /* it was asked for, and is now done */
		place->live = false;
		return entry_event(torch, entry, MNM_RECORD_FREE, flags);
	}
	place->live = true;
	flags |= *asked ? MNM_RECORD_DRIVER : 0;
	*asked = false;
	return entry_event(torch, entry, MNM_RECORD_ALLOC, flags);
}

/* The next entry of all devices, by their times. Returns false at the end. */
static bool entry_next(struct torch *torch, struct entry *entry,
		       const char **wrong)
{
	uint32_t devices = list_count(torch->traces);
	struct entry other;
	bool found = false;

	for (unsigned int device = 0; device < devices && !*wrong; device++) {
		value *trace =
			pickle_item(torch->pickle, torch->traces, device);

		if (torch->next[device] >= list_count(trace))
			continue;
		*wrong = entry_read(torch, device, torch->next[device], &other);
		if (!found || other.time_us < entry->time_us)
			*entry = other;
		found = true;
	}
	return found && !*wrong;
}

static const char *traces_take(struct torch *torch)
{
	struct place *place, *next;
	const char *wrong = NULL;
	struct entry entry;

	HASH_ITER (hh, torch->places, place, next)
		place->live = place->before;
	while (!wrong && entry_next(torch, &entry, &wrong)) {
		torch->next[entry.device]++;
		wrong = entry_take(torch, &entry);
	}
	return wrong;
}

static const char *snapshot_take(struct torch *torch)
{
	value *root = &torch->pickle->values[torch->pickle->root];
	value *segments = pickle_field(torch->pickle, root, "segments");
	const char *wrong;

	torch->traces = pickle_field(torch->pickle, root, "device_traces");
	if (!segments || segments->kind != PICKLE_LIST)
		return "it is no snapshot of PyTorch's: no list of segments";
	if (list_count(torch->traces) > TORCH_DEVICES)
		return "it has more than 64 devices";
	wrong = before_traces(torch);
	for (uint32_t i = 0; i < list_count(segments) && !wrong; i++)
		wrong = before_segment(torch,
				       pickle_item(torch->pickle, segments, i));
	torch->import->began = (double)torch->first_us * 1e-6;
	return wrong ? wrong : traces_take(torch);
}

static void torch_release(struct torch *torch)
{
	struct place *place, *next;

	HASH_ITER (hh, torch->places, place, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(torch->places, place);
		free(place);
	}
	torch_stacks_release(torch);
}

const char *torch_take(struct import *import, const struct pickle *pickle)
{
	struct torch torch = {.import = import, .pickle = pickle};
	const char *wrong = snapshot_take(&torch);

	torch_release(&torch);
	return wrong;
}
