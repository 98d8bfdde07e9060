/* Who has asked, as a snapshot says it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "common/text.h"
#include "torch.h"

enum { NAME_SIZE = 256 };

/* A list of frames that has been looked at. */
struct stack_site {
	uint32_t frames; /* the number of the value */
	uint64_t site;
	UT_hash_handle hh;
};

static void text_get(const struct torch *torch, const struct pickle_value *dict,
		     const char *key, char text[NAME_SIZE])
{
	const struct pickle_value *found =
		pickle_field(torch->pickle, dict, key);
	size_t length = 0;

	if (found && found->kind == PICKLE_TEXT)
		length =
			found->count < NAME_SIZE ? found->count : NAME_SIZE - 1;
	if (length)
		memcpy(text, found->text, length);
	text[length] = '\0';
	text_plain(text, text, NAME_SIZE);
}

/* The site of the innermost frame. */
static const char *frame_site(struct torch *torch,
			      const struct pickle_value *frames, uint64_t time,
			      uint64_t *site)
{
	const struct pickle_value *frame =
		pickle_item(torch->pickle, frames, 0);
	char file[NAME_SIZE], function[NAME_SIZE], name[2 * NAME_SIZE + 32];
	const struct pickle_value *found;
	uint64_t line = 0;

	text_get(torch, frame, "filename", file);
	text_get(torch, frame, "name", function);
	found = pickle_field(torch->pickle, frame, "line");
	if (found && found->kind == PICKLE_NUMBER && found->number > 0)
		line = (uint64_t)found->number;
	snprintf(name, sizeof(name), "%s:%" PRIu64 "\t%s", file, line,
		 function);
	return import_name(torch->import, name, time, site);
}

/* Each list is looked at once, however often it is used. */
const char *torch_site(struct torch *torch, const struct pickle_value *frames,
		       uint64_t time, uint64_t *site)
{
	uint32_t number;
	struct stack_site *known;
	const char *wrong;

	*site = 0;
	if (!frames || frames->kind != PICKLE_LIST || !frames->count)
		return NULL;
	number = (uint32_t)(frames - torch->pickle->values);
	/* NOLINTNEXTLINE(*-core.*): uthash sets known */
	HASH_FIND(hh, torch->stacks, &number, sizeof(number), known);
	if (known) {
		*site = known->site;
		return NULL;
	}
	wrong = frame_site(torch, frames, time, site);
	known = wrong ? NULL : calloc(1, sizeof(*known));
	if (!known)
		return wrong ? wrong : "no memory to read it";
	*known = (struct stack_site){.frames = number, .site = *site};
	HASH_ADD(hh, torch->stacks, frames, sizeof(number), known);
	if (known->hh.tbl)
		return NULL;
	free(known);
	return "no memory to read it";
}

void torch_stacks_release(struct torch *torch)
{
	struct stack_site *stack, *next;

	HASH_ITER (hh, torch->stacks, stack, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(torch->stacks, stack);
		free(stack);
	}
}
