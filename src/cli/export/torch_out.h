/* A snapshot of memory as PyTorch's: what is shared by its parts. */
#ifndef MNM_TORCH_OUT_H
#define MNM_TORCH_OUT_H

#include "export.h"
#include "pickle_write.h"

/* The texts that each entry has, which are written once. */
#define TORCH_WORD_LIST \
	TORCH_WORD(action) \
	TORCH_WORD(alloc) \
	TORCH_WORD(free_requested) \
	TORCH_WORD(free_completed) \
	TORCH_WORD(oom) \
	TORCH_WORD(addr) \
	TORCH_WORD(size) \
	TORCH_WORD(span) \
	TORCH_WORD(stream) \
	TORCH_WORD(time_us) \
	TORCH_WORD(frames) \
	TORCH_WORD(filename) \
	TORCH_WORD(line) \
	TORCH_WORD(name)

/* clang-format off */
enum torch_word {
#define TORCH_WORD(name) WORD_##name,
	TORCH_WORD_LIST
#undef TORCH_WORD
	WORDS
};
/* clang-format on */

struct torch_site;

/* A range of addresses that blocks were in. */
struct torch_range {
	uint64_t start, end;
	unsigned int device;
};

struct torch_out {
	struct export *export;
	FILE *to;
	bool said[WORDS];
	struct torch_site *sites; /* whose frames were written */
	uint32_t remembered;
	struct torch_range *ranges;
	size_t range_count, range_room;
	struct live_blocks live[MNM_RECORD_HOST];
	bool lost; /* something, for want of memory */
};

void torch_word(struct torch_out *out, enum torch_word word);
void torch_number(struct torch_out *out, enum torch_word word, uint64_t number);
/* "frames" of who made the request; NULL: of nobody. */
void torch_frames(struct torch_out *out, const struct mnm_record_event *event);
void torch_frames_release(struct torch_out *out);

/* Notes where a block lies. */
void torch_range_add(struct torch_out *out, const struct live_block *block);
/* The list of segments: the ranges, and what lives in them. */
void torch_segments(struct torch_out *out);

/* The bytes of a block: PyTorch's are multiples of 512. */
static inline uint64_t torch_span(const struct live_block *block)
{
	uint64_t size = block->event.size, span = block->event.span;

	if (span)
		return span > size ? span : size;
	return size <= INT64_MAX ? (size + 511) / 512 * 512 : size;
}

#endif
