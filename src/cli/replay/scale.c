#include "scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "common/option.h"

/* Sizes of one iteration that differ from those of another do so in one ratio,
 * but for what rounding makes of it. */
static const double ROUNDING = 0.02;
static const double MOST = 1e18; /* bytes, of no device */

struct size {
	uint64_t bytes;
	UT_hash_handle hh;
};

static bool size_is_in(struct size *sizes, uint64_t bytes)
{
	struct size *size;

	/* NOLINTNEXTLINE(*-core.*): uthash sets size */
	HASH_FIND(hh, sizes, &bytes, sizeof(bytes), size);
	return size;
}

static bool size_add(struct size **sizes, uint64_t bytes)
{
	struct size *size;

	if (size_is_in(*sizes, bytes))
		return true;
	size = calloc(1, sizeof(*size));
	if (!size)
		return false;
	size->bytes = bytes;
	HASH_ADD(hh, *sizes, bytes, sizeof(bytes), size);
	if (size->hh.tbl)
		return true;
	free(size);
	return false;
}

static void sizes_free(struct size **sizes)
{
	struct size *size, *next;

	HASH_ITER (hh, *sizes, size, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(*sizes, size);
		free(size);
	}
}

/* One range of a list: N, N-M, or N- for all from there on. Returns where the
 * next one begins, or NULL. */
static const char *range_read(const char *text, uint64_t *least, uint64_t *most)
{
	size_t length = strcspn(text, ","), first = strcspn(text, "-,");
	char word[64];
	size_t bytes;

	if (length >= sizeof(word))
		return NULL;
	memcpy(word, text, length);
	word[first] = word[length] = '\0';
	if (!size_parse(word, &bytes))
		return NULL;
	*least = *most = bytes;
	if (first < length && first + 1 == length)
		*most = UINT64_MAX;
	else if (first < length && size_parse(word + first + 1, &bytes))
		*most = bytes;
	else if (first < length)
		return NULL;
	if (*most < *least)
		return NULL;
	return text + length + (text[length] == ',');
}

static bool given_mark(struct script *script, const char *sizes,
		       const char **bad)
{
	uint64_t least, most;

	do {
		*bad = sizes;
		sizes = range_read(sizes, &least, &most);
		if (!sizes)
			return false;
		for (size_t i = 0; i < script->count; i++)
			script->steps[i].follows |=
				script->steps[i].bytes >= least &&
				script->steps[i].bytes <= most;
	} while (*sizes);
	*bad = NULL;
	return true;
}

static bool comes(const struct script_step *step)
{
	return step->kind == SCRIPT_ALLOC || step->kind == SCRIPT_TAKE;
}

/* The step behind the iteration that begins at the mark `from`. */
static size_t iteration_end(const struct script *script, size_t from)
{
	size_t i = from + 1;

	while (i < script->count && script->steps[i].kind != SCRIPT_MARK)
		i++;
	return i;
}

/* Whether two iterations are the same but for sizes in one ratio. */
static bool are_scaled(const struct script_step *a, const struct script_step *b,
		       size_t count)
{
	double ratio = 0;

	for (size_t i = 0; i < count; i++) {
		double now = (double)b[i].bytes / (double)a[i].bytes;

		if (a[i].kind != b[i].kind)
			return false;
		if (!comes(&a[i]) || a[i].bytes == b[i].bytes)
			continue;
		if (ratio == 0)
			ratio = now;
		if (fabs(now - ratio) > ROUNDING * ratio)
			return false;
	}
	return ratio != 0;
}

static bool differing_add(struct size **sizes, const struct script_step *a,
			  const struct script_step *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (comes(&a[i]) && a[i].bytes != b[i].bytes &&
		    (!size_add(sizes, a[i].bytes) ||
		     !size_add(sizes, b[i].bytes)))
			return false;
	return true;
}

/* The sizes that differ between an iteration and the next. */
static bool compared_find(const struct script *script, struct size **sizes)
{
	const struct script_step *steps = script->steps;
	size_t from = 0, end, before = 0, count = 0;

	while (from < script->count && steps[from].kind != SCRIPT_MARK)
		from++;
	for (; from < script->count; from = end) {
		end = iteration_end(script, from);
		if (end - from == count &&
		    are_scaled(steps + before, steps + from, count) &&
		    !differing_add(sizes, steps + before, steps + from, count))
			return false;
		before = from;
		count = end - from;
	}
	return true;
}

/* For each request, in which iteration its block is freed; UINT32_MAX: in none.
 * In place of a step that is no request is nothing of use. NULL without
 * memory. */
static uint32_t *ends_find(const struct script *script)
{
	uint32_t *ends = malloc(script->count * sizeof(*ends));
	size_t *begun = calloc(script->slots, sizeof(*begun));
	uint32_t iteration = 0;

	for (size_t i = 0; ends && begun && i < script->count; i++) {
		const struct script_step *step = &script->steps[i];

		iteration += step->kind == SCRIPT_MARK;
		ends[i] = UINT32_MAX;
		if (comes(step))
			begun[step->slot] = i;
		else if (step->kind != SCRIPT_MARK)
			ends[begun[step->slot]] = iteration;
	}
	if (!begun) {
		free(ends);
		ends = NULL;
	}
	free(begun);
	return ends;
}

/* Whether a block that comes in an iteration ends in it or in the next. */
static bool is_brief(uint32_t iteration, uint32_t end)
{
	return iteration && end != UINT32_MAX && end - iteration <= 1;
}

/* The sizes of blocks that are brief, and of no other. */
static bool brief_find(const struct script *script, struct size **sizes)
{
	uint32_t *ends = ends_find(script);
	struct size *fixed = NULL;
	bool fits = ends;

	for (int turn = 0; fits && turn < 2; turn++) {
		uint32_t iteration = 0;

		for (size_t i = 0; fits && i < script->count; i++) {
			const struct script_step *step = &script->steps[i];
			bool brief = is_brief(iteration, ends[i]);

			iteration += step->kind == SCRIPT_MARK;
			if (!comes(step))
				continue;
			if (!turn && !brief && ends[i] - iteration > 1)
				fits = size_add(&fixed, step->bytes);
			else if (turn && brief &&
				 !size_is_in(fixed, step->bytes))
				fits = size_add(sizes, step->bytes);
		}
	}
	sizes_free(&fixed);
	free(ends);
	return fits;
}

static void sizes_mark(struct script *script, struct size *sizes)
{
	for (size_t i = 0; i < script->count; i++) {
		struct script_step *step = &script->steps[i];

		step->follows = comes(step) && size_is_in(sizes, step->bytes);
	}
}

bool scale_find(struct script *script, const char *sizes, enum scale_rule *rule,
		const char **bad)
{
	struct size *found = NULL;
	bool fits;

	*bad = NULL;
	*rule = SCALE_GIVEN;
	if (sizes)
		return given_mark(script, sizes, bad);
	*rule = SCALE_UNKNOWN;
	if (script->marks < 2)
		return true;
	*rule = SCALE_COMPARED;
	fits = compared_find(script, &found);
	if (fits && !found) {
		*rule = SCALE_LIFETIME;
		fits = brief_find(script, &found);
	}
	if (fits)
		sizes_mark(script, found);
	sizes_free(&found);
	return fits;
}

bool scale_any(const struct script *script)
{
	size_t i = 0;

	while (i < script->count && !script->steps[i].follows)
		i++;
	return i < script->count;
}

struct script_step scaled_step(const struct script_step *step, double scale)
{
	struct script_step scaled = *step;
	double bytes = (double)step->bytes * scale;

	if (!step->follows || scale == 1)
		return scaled;
	scaled.bytes = bytes < 1      ? 1
		       : bytes > MOST ? (uint64_t)MOST
				      : (uint64_t)(bytes + 0.5);
	return scaled;
}

struct scale_peak scale_peak(const struct script *script, int device,
			     double scale)
{
	struct script_step *live = calloc(script->slots, sizeof(*live));
	struct scale_peak now = {0}, peak = {0};

	for (size_t i = 0; live && i < script->count; i++) {
		const struct script_step *step = &script->steps[i];
		struct script_step *block = &live[step->slot];

		if (step->device != device || step->kind == SCRIPT_MARK)
			continue;
		if (step->kind == SCRIPT_ALLOC) {
			*block = scaled_step(step, scale);
			now.live += block->bytes;
			now.follows += block->follows ? block->bytes : 0;
		} else if (step->kind == SCRIPT_FREE) {
			now.live -= block->bytes;
			now.follows -= block->follows ? block->bytes : 0;
		}
		if (now.live > peak.live)
			peak = now;
	}
	free(live);
	return peak;
}
