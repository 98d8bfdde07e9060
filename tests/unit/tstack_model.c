#include "tstack_model.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "plan/job.h"

enum { PROMILLE = 1000, TRIES = 8, STOPS = 50 };

static const uint64_t base = (uint64_t)1 << 40;

/* As ck_assert, which writes down that it was passed each time. */
#define CLAIM(model, claim) \
	do { \
		if (!(claim)) \
			ck_abort_msg("%s, seed %llu", #claim, \
				     (unsigned long long)(model)->seed); \
	} while (0)

unsigned int model_draw(struct model *model, unsigned int below)
{
	return (unsigned int)draw(&model->random, below);
}

static struct model_unit *unit_at(struct model *model, uint64_t addr)
{
	CLAIM(model,
	      addr >= base && addr < base + MODEL_PAGES * MNM_REGION_PAGE);
	return &model->units[(addr - base) / MODEL_UNIT];
}

static void units_set(struct model *model, const struct mnm_place *place,
		      enum unit_state from, enum unit_state to)
{
	CLAIM(model, place->bytes && place->addr % MODEL_UNIT == 0);
	for (size_t at = 0; at < place->bytes; at += MODEL_UNIT) {
		struct model_unit *unit = unit_at(model, place->addr + at);

		CLAIM(model, unit->state == from);
		unit->state = to;
		unit->had = true;
		unit->epoch = place->epoch;
		unit->stream = place->stream;
	}
}

/* Plans that are not the best ones do as well here. */
static unsigned int asked;

static bool is_over(void *argument)
{
	(void)argument;
	return ++asked >= STOPS;
}

static void job_look(struct model *model)
{
	if (!model->job) {
		model->job = tstack_pool_job(model->pool);
		model->wait = model_draw(model, 2) ? model_draw(model, 60) : 0;
		if (model->at_once)
			model->wait = 0;
	}
	if (!model->job || model->served < model->late || model->wait--)
		return;
	asked = 0;
	if (model->job->loads) {
		model->job->file = model->file;
		model->job->file_size = model->file_size;
		model->file = NULL;
	}
	plan_job_run(model->job, is_over);
	tstack_pool_planned(model->pool, model->job);
	model->job = NULL;
}

static bool is_ready(const struct model_unit *unit,
		     const struct mnm_request *request)
{
	return unit->epoch == MNM_EPOCH_NEVER ||
	       mnm_request_is_behind(request, unit->stream, unit->epoch);
}

static void block_begin(struct model *model, const struct mnm_request *request,
			const struct mnm_place *place, unsigned int life,
			unsigned int freed)
{
	struct mnm_place at = *place;

	CLAIM(model, place->bytes == request->span);
	for (size_t i = 0; i < place->bytes; i += MODEL_UNIT)
		CLAIM(model,
		      is_ready(unit_at(model, place->addr + i), request));
	units_set(model, &at, UNIT_FREE, UNIT_LIVE);
	CLAIM(model, model->count < MODEL_BLOCKS);
	model->blocks[model->count++] = (struct model_block){
		.place = at, .stream = freed, .life = life};
	model->pool->live_span += at.bytes;
	model->served++;
}

void model_free(struct model *model, size_t block)
{
	struct mnm_pool *pool = model->pool;
	struct mnm_place place = model->blocks[block].place;

	place.stream = model->blocks[block].stream;
	place.epoch = model->epoch;
	model->blocks[block] = model->blocks[--model->count];
	units_set(model, &place, UNIT_LIVE, UNIT_FREE);
	CLAIM(model, pool->ops->add(pool, &place));
	pool->live_count--;
	pool->live_span -= place.bytes;
}

void model_step(struct model *model)
{
	for (size_t i = model->count; i--;)
		if (!model->blocks[i].life--)
			model_free(model, i);
	if (!model_draw(model, 8))
		model->epoch++;
	if (!model_draw(model, 64))
		model->over = model->safe = ++model->epoch;
}

static void region_end(struct model *model, const struct mnm_place *place)
{
	for (int i = 0; i < MODEL_REGIONS; i++)
		if (model->regions[i].base == place->addr) {
			CLAIM(model, model->regions[i].bytes == place->bytes);
			model->regions[i].base = 0;
		}
}

void model_trim(struct model *model, size_t bytes)
{
	struct mnm_pool *pool = model->pool;
	struct mnm_place place;
	size_t gone = 0;

	for (;
	     gone < bytes && pool->ops->part(pool, bytes - gone, false, &place);
	     gone += place.bytes) {
		units_set(model, &place, UNIT_FREE, UNIT_NONE);
		pool->region_bytes -= place.bytes;
		if (!pool->growing)
			region_end(model, &place);
	}
}

/* Other threads ask, free and trim. */
static void world_goes_on(struct model *model)
{
	if (model->meanwhile || model_draw(model, PROMILLE) >= model->strange)
		return;
	model->meanwhile = true;
	switch (model_draw(model, 4)) {
	case 0:
		model_trim(model, model_draw(model, 2) ? SIZE_MAX : 1);
		break;
	case 1:
		if (model->count)
			model_free(
				model,
				model_draw(model, (unsigned int)model->count));
		break;
	default:
		if (model->count && model->count < MODEL_BLOCKS - 1)
			model_ask(model,
				  model->blocks[model->count - 1].place.bytes,
				  0, model_draw(model, 9), 0);
	}
	model->meanwhile = false;
}

static bool has_room(struct model *model, const struct mnm_lack *lack)
{
	struct mnm_region *region = &model->growing;
	size_t bytes = lack->fresh + lack->moved;

	CLAIM(model, lack->at >= region->base &&
			     lack->at + bytes <= region->base + region->bytes);
	if (model->inside)
		return false;
	for (size_t i = 0; i < bytes; i += MODEL_UNIT)
		CLAIM(model, !unit_at(model, lack->at + i)->had);
	return true;
}

/* Where the region grows. */
static uint64_t growth_claim(struct model *model, size_t span,
			     enum mnm_growth rule, struct mnm_lack *lack)
{
	struct mnm_region *region = &model->growing;
	uint64_t at;

	*lack = (struct mnm_lack){0};
	model->pool->ops->lacks(model->pool, span, region, rule, lack);
	region->bytes += lack->ahead;
	model->claimed += lack->ahead;
	if (lack->at && has_room(model, lack))
		return lack->at;
	if (lack->at) {
		*lack = (struct mnm_lack){0};
		model->pool->ops->lacks(model->pool, span, region, rule, lack);
		CLAIM(model, !lack->at && !lack->ahead);
	}
	at = region->base + region->bytes;
	region->bytes += lack->fresh + lack->moved;
	return at;
}

struct parts {
	struct mnm_place places[64];
	size_t count, bytes;
};

static void parts_take(struct model *model, size_t bytes, struct parts *parts)
{
	struct mnm_pool *pool = model->pool;
	struct mnm_place *place = parts->places;

	for (; parts->bytes < bytes && parts->count < 64 &&
	       pool->ops->part(pool, bytes - parts->bytes, true, place);
	     place++) {
		place->region = &model->growing;
		units_set(model, place, UNIT_FREE, UNIT_NONE);
		parts->bytes += place->bytes;
		parts->count++;
		pool->apart++;
	}
}

static void parts_end(struct model *model, const struct parts *parts, bool back,
		      struct mnm_place *to)
{
	struct mnm_pool *pool = model->pool;

	to->stream = parts->count ? parts->places[0].stream : 0;
	for (size_t i = 0; i < parts->count; i++) {
		const struct mnm_place *part = &parts->places[i];

		if (part->epoch > to->epoch)
			to->epoch = part->epoch;
		if (part->stream != to->stream)
			to->stream = 0;
		if (back) {
			units_set(model, part, UNIT_NONE, UNIT_FREE);
			pool->ops->add(pool, part);
		}
		pool->apart--;
	}
}

static bool region_grow(struct model *model, size_t span, enum mnm_growth rule)
{
	struct mnm_place to = {.region = &model->growing};
	struct parts parts = {.count = 0};
	struct mnm_lack lack;
	bool fails = model_draw(model, PROMILLE) < model->fails;

	to.addr = growth_claim(model, span, rule, &lack);
	to.bytes = lack.fresh + lack.moved;
	if (lack.at)
		model->inside = true;
	parts_take(model, lack.moved, &parts);
	world_goes_on(model);
	if (lack.at)
		model->inside = false;
	parts_end(model, &parts, fails, &to);
	if (fails)
		return false;
	units_set(model, &to, UNIT_NONE, UNIT_FREE);
	model->pool->region_bytes += to.bytes - parts.bytes;
	CLAIM(model, model->pool->ops->add(model->pool, &to));
	return true;
}

static bool region_make(struct model *model, size_t span, enum mnm_growth rule)
{
	struct mnm_region *region = model->regions;
	struct mnm_place all;
	struct mnm_lack lack = {0};

	model->pool->ops->lacks(model->pool, span, NULL, rule, &lack);
	world_goes_on(model);
	if (model_draw(model, PROMILLE) < model->fails)
		return false;
	CLAIM(model, lack.fresh >= span && !lack.at && !lack.ahead);
	while (region->base)
		region++;
	CLAIM(model, region < model->regions + MODEL_REGIONS);
	*region = (struct mnm_region){
		.base = model->next, .bytes = lack.fresh, .kind = lack.kind};
	model->next += lack.fresh + MNM_REGION_PAGE;
	all = (struct mnm_place){
		.region = region, .addr = region->base, .bytes = region->bytes};
	units_set(model, &all, UNIT_NONE, UNIT_FREE);
	model->pool->region_bytes += all.bytes;
	CLAIM(model, model->pool->ops->add(model->pool, &all));
	return true;
}

void model_grow(struct model *model, size_t span, bool unready, int tries)
{
	bool least = tries >= TRIES / 2, grown;
	enum mnm_growth rule =
		unready ? (least ? MNM_GROW_LEAST_FRESH : MNM_GROW_FRESH)
			: (least ? MNM_GROW_LEAST : MNM_GROW_FREELY);

	/* Not beside what a careful request may not use. */
	if (tries && unready)
		model->growing.bytes += MNM_REGION_PAGE;
	grown = model->pool->growing ? region_grow(model, span, rule)
				     : region_make(model, span, rule);
	if (!grown)
		model_trim(model, SIZE_MAX);
}

static bool is_served(struct model *model, const struct mnm_request *request,
		      unsigned int life, unsigned int freed, bool *unready)
{
	struct mnm_pool *pool = model->pool;
	struct mnm_place place;
	enum mnm_answer answer = pool->ops->place(pool, request, &place);
	size_t sheds;

	*unready = answer == MNM_UNSAFE;
	if (answer == MNM_HIT)
		block_begin(model, request, &place, life, freed);
	sheds = tstack_pool_sheds(pool);
	if (sheds)
		model_trim(model, sheds);
	model->shed += sheds;
	job_look(model);
	return answer == MNM_HIT;
}

void model_ask(struct model *model, size_t bytes, unsigned int stream,
	       unsigned int life, unsigned int freed)
{
	struct mnm_pool *pool = model->pool;
	struct mnm_request request = {.stream = stream,
				      .span = pool->ops->span(pool, bytes, 0)};
	bool careful = !model->fences && !model_draw(model, 30);
	bool unready, served = false;

	pool->live_count++;
	for (int i = 0; i < 4 * TRIES && !served; i++) {
		request.safe = careful ? model->over : model->safe;
		served = is_served(model, &request, life, freed, &unready);
		if (served)
			break;
		if (unready && !careful &&
		    (model->fences || model_draw(model, 4)))
			model->safe = ++model->epoch;
		else
			model_grow(model, request.span, unready, i);
	}
	CLAIM(model, served);
}

void model_open(struct model *model, enum mnm_backing backing, uint64_t seed)
{
	const struct mnm_pool_options options = {.size = sizeof(options),
						 .page_size = 4096};

	*model = (struct model){
		.seed = seed, .random = seed, .epoch = 1, .safe = 1};
	model->units =
		calloc((size_t)MODEL_PAGES * PAGE_UNITS, sizeof(*model->units));
	model->pool = calloc(1, tstack_pool.size);
	ck_assert(model->units && model->pool);
	model->pool->ops = &tstack_pool;
	model->pool->backing = backing;
	model->next = model->growing.base = base;
	model->growing.grows = true;
	if (backing == MNM_BACKING_VIRTUAL) {
		model->pool->growing = &model->growing;
		model->next += MODEL_PAGES / 2 * MNM_REGION_PAGE;
	}
	ck_assert(tstack_pool.open(model->pool, &options));
}

void model_reopen(struct model *model, enum mnm_backing backing, uint64_t seed)
{
	size_t size = 0;
	const unsigned char *file = tstack_pool_file(model->pool, &size);
	unsigned char *copy = malloc(size + 1);

	ck_assert(copy);
	if (file)
		memcpy(copy, file, size);
	model_close(model);
	tstack_pool_loads_set(true);
	model_open(model, backing, seed);
	tstack_pool_loads_set(false);
	model->file = copy;
	model->file_size = file ? size : 0;
}

void model_close(struct model *model)
{
	while (model->count)
		model_free(model, 0);
	CLAIM(model, !model->pool->live_count && !model->pool->live_span);
	model_trim(model, SIZE_MAX);
	CLAIM(model, !model->pool->region_bytes);
	for (size_t i = 0; i < (size_t)MODEL_PAGES * PAGE_UNITS; i++)
		CLAIM(model, model->units[i].state == UNIT_NONE);
	tstack_pool.close(model->pool);
	if (model->job) {
		CLAIM(model, model->job->dropped);
		plan_job_close(model->job);
	}
	free(model->pool);
	free(model->units);
	free(model->file);
}

struct tstack_figures model_figures(const struct model *model)
{
	return tstack_pool_figures(model->pool);
}
