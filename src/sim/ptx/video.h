/* A video instruction. */
#ifndef SIM_PTX_VIDEO_H
#define SIM_PTX_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_video_what {
	PTX_VIDEO_ADD,
	PTX_VIDEO_SUB,
	PTX_VIDEO_ABSDIFF,
	PTX_VIDEO_MIN,
	PTX_VIDEO_MAX,
	PTX_VIDEO_AVERAGE,
	PTX_VIDEO_SET, /* a comparison */
	PTX_VIDEO_SHL,
	PTX_VIDEO_SHR,
};

/* What becomes of the results with the third operand. */
enum ptx_video_then {
	PTX_VIDEO_ALONE,
	PTX_VIDEO_THEN_ADD,
	PTX_VIDEO_THEN_MIN,
	PTX_VIDEO_THEN_MAX,
	PTX_VIDEO_THEN_MERGE, /* they replace parts of it */
};

/* Parts of an operand: their width, and where each one is, counted in parts. */
struct ptx_video_part {
	uint8_t bits; /* 8, 16 or 32 */
	bool has_sign;
	uint8_t at[4]; /* from those of a on, and then those of b */
};

struct ptx_video {
	enum ptx_video_what what;
	enum ptx_video_then then;
	unsigned int parts;  /* 1, 2 or 4 */
	unsigned int mask;   /* of the parts that are made */
	unsigned int accept; /* what a comparison accepts: PTX_LESS, ... */
	bool saturates;
	bool wraps; /* how far is shifted */
	struct ptx_video_part to, a, b;
};

#endif
