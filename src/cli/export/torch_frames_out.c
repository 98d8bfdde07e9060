/* Who has asked, as PyTorch's snapshots say it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "cli/report/holders.h"
#include "common/text.h"
#include "torch_out.h"

enum { NAME_SIZE = 512 };

/* Sites are addresses of code, which have no such bit. */
#define STACK (UINT64_C(1) << 63)

struct torch_site {
	uint64_t key;    /* the site; or STACK and the number of a stack */
	uint32_t number; /* of its frames */
	UT_hash_handle hh;
};

void torch_word(struct torch_out *out, enum torch_word word)
{
	static const char *const words[WORDS] = {
#define TORCH_WORD(name) #name,
		TORCH_WORD_LIST
#undef TORCH_WORD
	};

	if (out->said[word]) {
		pickle_again(out->to, word);
		return;
	}
	pickle_text(out->to, words[word]);
	pickle_remember(out->to, word);
	out->said[word] = true;
}

void torch_number(struct torch_out *out, enum torch_word word, uint64_t number)
{
	torch_word(out, word);
	pickle_number(out->to,
		      number <= INT64_MAX ? (int64_t)number : INT64_MAX);
}

static void frame_put(struct torch_out *out, const char *file, uint64_t line,
		      const char *function)
{
	pickle_dict(out->to);
	torch_word(out, WORD_filename);
	pickle_text(out->to, file);
	torch_number(out, WORD_line, line);
	torch_word(out, WORD_name);
	pickle_text(out->to, function);
	pickle_dict_end(out->to);
}

/* A name that came from a snapshot: FILE:LINE, a tab, FUNCTION. */
static void given_put(struct torch_out *out, const char *name)
{
	char file[NAME_SIZE], function[NAME_SIZE];
	const char *tab = strchr(name, '\t');
	size_t length = tab ? (size_t)(tab - name) : strlen(name);
	uint64_t line = 0;
	char *end, *colon;

	snprintf(file, sizeof(file), "%.*s", (int)length, name);
	text_plain(file, file, sizeof(file));
	text_plain(tab ? tab + 1 : "", function, sizeof(function));
	colon = strrchr(file, ':');
	if (colon && isdigit((unsigned char)colon[1])) {
		line = strtoull(colon + 1, &end, 10);
		if (!*end)
			*colon = '\0';
		else
			line = 0;
	}
	frame_put(out, file, line, function);
}

static void site_put(struct torch_out *out, uint64_t site)
{
	char file[HOLDER_NAME_SIZE], function[HOLDER_NAME_SIZE];
	const char *given = symbols_given(out->export->symbols, site);

	if (given) {
		given_put(out, given);
	} else {
		site_names(out->export->symbols, site, file, function);
		frame_put(out, file, 0, function);
	}
}

/* The frames of a stack, or the only one that is known. */
static void frames_put(struct torch_out *out,
		       const struct mnm_record_event *event)
{
	size_t count;
	const uint64_t *frames =
		mnm_record_stack(out->export->record, event->stack, &count);

	pickle_list(out->to);
	pickle_part(out->to);
	if (!count)
		site_put(out, event->site);
	for (size_t i = 0; i < count; i++)
		site_put(out, frames[i]);
	pickle_part_end(out->to);
}

static void frames_remember(struct torch_out *out, uint64_t key)
{
	struct torch_site *known = calloc(1, sizeof(*known));

	out->lost |= !known;
	if (!known)
		return;
	known->key = key;
	known->number = WORDS + out->remembered++;
	HASH_ADD(hh, out->sites, key, sizeof(key), known);
	if (known->hh.tbl) {
		pickle_remember(out->to, known->number);
		return;
	}
	out->lost = true;
	free(known);
}

void torch_frames(struct torch_out *out, const struct mnm_record_event *event)
{
	struct torch_site *known;
	uint64_t key;

	torch_word(out, WORD_frames);
	if (!event || !event->site) {
		pickle_list(out->to);
		return;
	}
	key = event->stack ? STACK | event->stack : event->site;
	/* NOLINTNEXTLINE(*-core.*): uthash sets known */
	HASH_FIND(hh, out->sites, &key, sizeof(key), known);
	if (known) {
		pickle_again(out->to, known->number);
		return;
	}
	frames_put(out, event);
	frames_remember(out, key);
}

void torch_frames_release(struct torch_out *out)
{
	struct torch_site *known, *next;

	HASH_ITER (hh, out->sites, known, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(out->sites, known);
		free(known);
	}
}
