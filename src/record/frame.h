/* A frame: up to FRAME_EVENTS events that can be read without any other frame.
 * docs/trace-format.md describes its bytes. */
#ifndef MNM_RECORD_FRAME_H
#define MNM_RECORD_FRAME_H

#include "bytes.h"
#include "mnm/record.h"

enum {
	FRAME_EVENTS = 1 << 16,
	FRAME_HEAD = 16, /* bytes before what is compressed */
	/* Of a frame that is read: no larger one is written, whatever its
	 * events are. */
	FRAME_MOST = 1 << 26,
};

/* The columns of a frame, one after the other: numbers of one sort compress
 * better side by side. */
enum frame_column {
	COLUMN_ORIGINS, /* of each event, its row among the frame's origins */
	COLUMN_TIMES,
	COLUMN_SIZES,
	COLUMN_SPANS,
	COLUMN_ADDRESSES,
	COLUMN_FREES, /* how many requests ago the block was asked for */
	COLUMN_TEXTS,
	COLUMNS
};

/* What many events have in common. */
struct origin {
	uint64_t site;
	uint32_t thread, stream;
	uint8_t kind, flags, device, pool;
};

static inline struct origin origin_of(const struct mnm_record_event *event)
{
	return (struct origin){event->site, event->thread, event->stream,
			       event->kind, event->flags,  event->device,
			       event->pool};
}

/* Which columns an event of the kind has a part in. */
static inline bool kind_has_size(unsigned int kind)
{
	return kind == MNM_RECORD_LIVE || kind == MNM_RECORD_ALLOC ||
	       kind == MNM_RECORD_FAILED || kind == MNM_RECORD_TRIM ||
	       kind == MNM_RECORD_MODULE || kind == MNM_RECORD_RESERVED ||
	       kind == MNM_RECORD_TOOK || kind == MNM_RECORD_REGION;
}

static inline bool kind_has_span(unsigned int kind)
{
	return kind == MNM_RECORD_LIVE || kind == MNM_RECORD_ALLOC ||
	       kind == MNM_RECORD_MODULE;
}

static inline bool kind_has_address(unsigned int kind)
{
	return kind_has_span(kind) || kind == MNM_RECORD_PUSH ||
	       kind == MNM_RECORD_POP || kind == MNM_RECORD_START ||
	       kind == MNM_RECORD_STOP || kind == MNM_RECORD_POINT ||
	       kind == MNM_RECORD_STACK || kind == MNM_RECORD_BUILD ||
	       kind == MNM_RECORD_REGION || kind == MNM_RECORD_REGION_END;
}

static inline bool kind_has_block(unsigned int kind)
{
	return kind == MNM_RECORD_LIVE || kind == MNM_RECORD_ALLOC;
}

static inline bool kind_has_text(unsigned int kind)
{
	return kind == MNM_RECORD_SWAP || kind == MNM_RECORD_PUSH ||
	       kind == MNM_RECORD_START || kind == MNM_RECORD_POINT ||
	       kind == MNM_RECORD_MODULE || kind == MNM_RECORD_NAME ||
	       kind == MNM_RECORD_STACK || kind == MNM_RECORD_BUILD;
}

struct frame_writer;

/* NULL without memory. */
struct frame_writer *frame_writer_open(void);
void frame_writer_close(struct frame_writer *writer);

/* Writes a frame of at most FRAME_EVENTS events. `dropped`: events that were
 * lost before these. Returns its bytes, valid until the next call; or NULL
 * without memory. */
const struct bytes *frame_write(struct frame_writer *writer,
				const struct mnm_record_event *events,
				size_t count, uint64_t dropped);

/* What a frame's first FRAME_HEAD bytes say. */
struct frame_head {
	uint32_t stored; /* bytes that follow */
	uint32_t size;   /* of these, once they are not compressed any more */
};

/* Returns false if these bytes begin no frame. */
bool frame_head_read(const uint8_t *bytes, struct frame_head *head);

struct frame {
	struct mnm_record_event *events;
	size_t count;
	uint64_t dropped;
	uint8_t *raw; /* texts lie in it */
};

/* Reads the stored bytes of a frame. Returns NULL, or what is wrong with them;
 * the frame is empty then. */
const char *frame_read(struct frame *frame, const struct frame_head *head,
		       const uint8_t *stored);
void frame_release(struct frame *frame);

#endif
