/* Programs that ask for memory in iterations, drawn from a seed: what the tests
 * of periods feed to the finder, knowing what it should find. */
#ifndef MNM_TEST_PROGRAM_H
#define MNM_TEST_PROGRAM_H

#include <stdlib.h>
#include <string.h>

#include "plan/period.h"
#include "draw.h"

enum {
	PROGRAM_UNIT = 512,  /* all sizes are multiples of it, but for noise */
	PROGRAM_RING = 8192, /* no buffer lives for as many requests */
	PROGRAM_MOST = 4096, /* requests of one part */
};

struct program_buffer {
	uint64_t size;
	uint32_t stream;
	uint32_t life; /* requests until it is freed; 0: never */
};

/* What is asked for in one go: an iteration, or a piece of it. */
struct program_part {
	struct program_buffer buffers[PROGRAM_MOST];
	unsigned int count;
};

struct program_end {
	uint64_t serial;
	struct program_end *next;
};

/* A program that runs. */
struct program {
	struct finder *finder;
	uint64_t random;
	uint64_t step; /* requests so far, as if there were no noise */
	struct program_end *ends[PROGRAM_RING]; /* freed before that step */
	unsigned int inserted, dropped;         /* of 10000 requests */
	bool unseen; /* a pool serves it, and feeds nothing to the finder */
};

static inline uint64_t program_size(uint64_t *random)
{
	return PROGRAM_UNIT * (1 + draw(random, 4000));
}

static inline void part_add(struct program_part *part, uint64_t size,
			    uint32_t life)
{
	if (part->count < PROGRAM_MOST)
		part->buffers[part->count++] =
			(struct program_buffer){.size = size, .life = life};
}

/* A block of `count` requests, `times` over, as the layers of a network, and
 * then as often in reverse. Some buffers of the first half live on until
 * the second. */
static inline void part_add_layers(struct program_part *part, uint64_t *random,
				   unsigned int count, unsigned int times)
{
	const struct program_buffer *block = &part->buffers[part->count];
	uint64_t kept = draw(random, UINT64_MAX);
	unsigned int half = count * times;

	for (unsigned int i = 0; i < half; i++) {
		uint64_t size = i < count ? program_size(random)
					  : block[i - count].size;
		bool keeps = kept >> (i % count % 64) & 1;

		part_add(part, size,
			 keeps ? 2 * (half - i) : 1 + (uint32_t)(size % 3));
	}
	for (unsigned int i = 0; i < half; i++)
		part_add(part, block[half - 1 - i].size, 2);
}

/* Temporaries of an optimizer: the same few sizes, for each of many equal
 * parameters. */
static inline void part_add_temporaries(struct program_part *part,
					uint64_t *random, unsigned int count)
{
	uint64_t size = program_size(random);

	for (unsigned int i = 0; i < count; i++)
		part_add(part, size, 1);
}

/* Requests of sizes and lives that nothing orders. */
static inline void part_add_random(struct program_part *part, uint64_t *random,
				   unsigned int count, unsigned int longest)
{
	for (unsigned int i = 0; i < count; i++)
		part_add(part, program_size(random),
			 1 + (uint32_t)draw(random, longest));
}

/* An iteration as that of a training: inputs, layers there and back, results
 * that live until a little after the next ones are there, and an optimizer. */
static inline void part_add_training(struct program_part *part,
				     uint64_t *random)
{
	unsigned int before = part->count, results;

	part_add_random(part, random, 10, 20);
	part_add_layers(part, random, 5 + (unsigned int)draw(random, 40),
			2 + (unsigned int)draw(random, 12));
	results = part->count;
	part_add_random(part, random, 2, 1);
	part_add_random(part, random, 10, part->count - before);
	part_add_temporaries(part, random, 6 + (unsigned int)draw(random, 80));
	for (unsigned int i = 0; i < 2; i++)
		part->buffers[results + i].life = part->count - before + 4;
}

static inline void part_add_init(struct program_part *part, uint64_t *random)
{
	unsigned int count = (unsigned int)draw(random, 200);

	for (unsigned int i = 0; i < count; i++)
		part_add(part, program_size(random), 0);
}

static inline void program_open(struct program *program, uint64_t seed,
				uint64_t requests)
{
	memset(program, 0, sizeof(*program));
	program->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	program->finder = finder_open(requests);
}

static inline void program_end(struct program *program, uint64_t serial,
			       uint32_t life)
{
	struct program_end **list =
		&program->ends[(program->step + life) % PROGRAM_RING];
	struct program_end *end = malloc(sizeof(*end));

	if (!end)
		abort();
	end->serial = serial;
	end->next = *list;
	*list = end;
}

static inline void program_free_due(struct program *program)
{
	struct program_end **list =
		&program->ends[program->step % PROGRAM_RING];

	while (*list) {
		struct program_end *end = *list;

		*list = end->next;
		if (program->finder)
			finder_free(program->finder, end->serial);
		free(end);
	}
}

static inline void program_ask(struct program *program,
			       const struct program_buffer *buffer)
{
	uint64_t serial;

	if (program->unseen)
		return;
	serial = finder_alloc(program->finder,
			      history_token(buffer->size, buffer->stream),
			      buffer->size);
	if (buffer->life)
		program_end(program, serial, buffer->life);
}

/* Asks for one buffer, and frees those whose time it is. Noise has sizes that
 * nothing else has. */
static inline void program_step(struct program *program,
				const struct program_buffer *buffer)
{
	uint64_t *random = &program->random;

	program_free_due(program);
	if (draw(random, 10000) < program->inserted) {
		const struct program_buffer noise = {
			.size = program_size(random) + 1,
			.life = 1 + (uint32_t)draw(random, 50)};

		program_ask(program, &noise);
	}
	if (draw(random, 10000) >= program->dropped)
		program_ask(program, buffer);
	program->step++;
}

/* Plays a part once. */
static inline void program_play(struct program *program,
				const struct program_part *part)
{
	for (unsigned int i = 0; i < part->count; i++)
		program_step(program, &part->buffers[i]);
}

static inline void program_close(struct program *program)
{
	finder_close(program->finder);
	program->finder = NULL;
	for (int i = 0; i < PROGRAM_RING; i++, program->step++)
		program_free_due(program);
}

#endif
