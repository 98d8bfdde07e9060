#include "templates.h"

#include <stdlib.h>
#include <string.h>

enum {
	SURE_MOST = 3,
	SUFFICE_PERCENT = 98, /* of the bytes of the last requests */
	PERCENT = 100,
	WINDOW_LAPS = 4, /* so many laps of the current template are lately */
};

static struct template *end_of(struct templates *templates)
{
	return templates->all + TEMPLATES_MOST;
}

static const struct template *end_of_const(const struct templates *templates)
{
	return templates->all + TEMPLATES_MOST;
}

static void template_close(struct template *t)
{
	replay_close(t->replay);
	free(t->file);
	*t = (struct template){0};
}

void templates_close(struct templates *templates)
{
	/* Blocks may still have the one, and a program the other. */
	uint32_t ids = templates->ids;
	unsigned int ousted = templates->ousted;

	for (struct template *t = templates->all; t < end_of(templates); t++)
		template_close(t);
	memset(templates, 0, sizeof(*templates));
	templates->ids = ids;
	templates->ousted = ousted;
}

size_t templates_count(const struct templates *templates)
{
	size_t count = 0;

	for (const struct template *t = templates->all;
	     t < end_of_const(templates); t++)
		count += t->id != 0;
	return count;
}

const struct template *templates_largest(const struct templates *templates)
{
	const struct template *largest = NULL;

	for (const struct template *t = templates->all;
	     t < end_of_const(templates); t++)
		if (t->id && (!largest || t->peak > largest->peak))
			largest = t;
	return largest;
}

uint64_t templates_peak(const struct templates *templates)
{
	const struct template *largest = templates_largest(templates);

	return largest ? largest->peak : 0;
}

const struct template *templates_find(const struct templates *templates,
				      uint32_t id)
{
	for (const struct template *t = templates->all;
	     t < end_of_const(templates); t++)
		if (id && t->id == id)
			return t;
	return NULL;
}

void templates_leave(struct templates *templates)
{
	for (struct template *t = templates->all; t < end_of(templates); t++)
		if (t->id)
			replay_leave(t->replay);
}

static void template_use(struct templates *templates, struct template *t)
{
	templates->current = t;
	if (t)
		t->used = ++templates->clock;
}

/* A place for one more, or that of the one of the same period. */
static struct template *place_find(struct templates *templates, uint64_t number)
{
	struct template *oldest = templates->all;

	for (struct template *t = templates->all; t < end_of(templates); t++)
		if (t->id && number && t->number == number) {
			template_close(t);
			return t;
		}
	for (struct template *t = templates->all; t < end_of(templates); t++) {
		if (!t->id)
			return t;
		if (t->used < oldest->used)
			oldest = t;
	}
	template_close(oldest);
	templates->ousted++;
	return oldest;
}

void templates_add(struct templates *templates, struct plan_job *job)
{
	struct template *t = place_find(templates, job->number);

	*t = (struct template){
		.id = ++templates->ids,
		.number = job->number,
		.length = job->cycle.length,
		.exact = job->exact,
		.whole = job->cycle.count == job->cycle.length,
		.replay = job->replay,
		.file = job->file,
		.file_size = job->file_size,
		.least = job->least,
		.calm = job->calm,
		.peak = job->peak,
		.bound = job->bound,
		.print = templates_print(&job->cycle),
	};
	replay_name(t->replay, t->id);
	job->replay = NULL;
	job->file = NULL;
	template_use(templates, t);
}

void templates_drop(struct templates *templates)
{
	struct template *latest = NULL;

	template_close(templates->current);
	templates->ousted++;
	for (struct template *t = templates->all; t < end_of(templates); t++)
		if (t->id && (!latest || t->used > latest->used))
			latest = t;
	template_use(templates, latest);
	if (latest)
		replay_begin(latest->replay, REPLAY_NONE);
}

bool templates_suffice(const struct templates *templates)
{
	return templates_count(templates) > 1 && templates->asked &&
	       templates->foreseen >=
		       templates->asked / PERCENT * SUFFICE_PERCENT;
}

/* The token of the request so many before the next one, from 1 on. */
static uint32_t token_before(const struct templates *templates, uint64_t back)
{
	return templates->recent[(templates->served - back) % CYCLE_KEY];
}

/* Whether the program is where iterations of the template begin. Requests that
 * it does not foresee leave it there: an iteration begins with the first. */
static bool is_at_entry(const struct template *t)
{
	uint32_t next = replay_next(t->replay);

	return next != REPLAY_NONE && !replay_missed(t->replay) &&
	       (next - t->entry) % replay_part(t->replay) == 0;
}

/* How many requests of the iteration have come before this one; CYCLE_KEY, if
 * these are as many or more. */
static uint64_t begun(const struct templates *templates)
{
	if (!templates->told && is_at_entry(templates->current))
		return 0;
	return templates->since < CYCLE_KEY ? templates->since : CYCLE_KEY;
}

/* Whether an iteration of the template begins with the last `count` requests
 * and this one. */
static bool begins_so(const struct templates *templates,
		      const struct template *t, uint64_t count, uint32_t token)
{
	size_t slots = replay_count(t->replay);

	for (uint64_t i = 0; i <= count; i++) {
		size_t slot = (t->entry + i) % slots;
		uint32_t asked =
			i < count ? token_before(templates, count - i) : token;

		if (replay_slot_at(t->replay, (uint32_t)slot)->token != asked)
			return false;
	}
	return true;
}

/* The other template that was used last, of those that fit; *slot: where it is
 * then. */
static struct template *other_begins(struct templates *templates,
				     uint32_t token, uint32_t *slot)
{
	uint64_t count = begun(templates);
	struct template *found = NULL;

	if (count >= CYCLE_KEY)
		return NULL;
	for (struct template *t = templates->all; t < end_of(templates); t++)
		if (t->id && t != templates->current &&
		    (!found || t->used > found->used) &&
		    begins_so(templates, t, count, token))
			found = t;
	if (found)
		*slot = (uint32_t)((found->entry + count) %
				   replay_count(found->replay));
	return found;
}

/* The same by the last requests, wherever in an iteration they are. */
static struct template *other_goes_on(struct templates *templates,
				      uint32_t token, uint32_t *slot)
{
	struct template *found = NULL;
	uint32_t last[REPLAY_GRAM];

	if (templates->served < REPLAY_GRAM - 1)
		return NULL;
	for (int i = 0; i < REPLAY_GRAM - 1; i++)
		last[i] = token_before(templates,
				       (uint64_t)(REPLAY_GRAM - 1 - i));
	last[REPLAY_GRAM - 1] = token;
	for (struct template *t = templates->all; t < end_of(templates); t++) {
		uint32_t at;

		if (!t->id || t == templates->current ||
		    (found && t->used < found->used))
			continue;
		at = replay_find(t->replay, last);
		if (at == REPLAY_NONE)
			continue;
		found = t;
		*slot = at;
	}
	return found;
}

/* Iterations of the template were seen to begin at that slot. */
static void entry_note(struct template *t, uint32_t slot)
{
	uint32_t entry = slot % (uint32_t)replay_part(t->replay);

	if (entry == t->entry)
		t->sure += t->sure < SURE_MOST;
	else if (t->sure)
		t->sure--;
	else
		t->entry = entry;
}

/* The slot of a part of which the first of the last requests is. */
static uint32_t slot_first(const struct template *t, uint32_t slot)
{
	size_t part = replay_part(t->replay);

	return (uint32_t)((slot + (REPLAY_GRAM - 1) * (part - 1)) % part);
}

/* The place of another template, or of this one again, was found by the last
 * requests. An iteration has ended where the current one was left, and one has
 * begun with the first of these requests, if no others came in between; or if
 * both are the same place. */
static void found_note(struct templates *templates, struct template *t,
		       uint32_t slot)
{
	struct template *current = templates->current;
	uint32_t first = slot_first(t, slot);

	if (t == current &&
	    (templates->left - first) % replay_part(t->replay) == 0)
		entry_note(t, first);
	if (t != current && replay_missed(current->replay) == REPLAY_GRAM - 1) {
		entry_note(current, templates->left);
		entry_note(t, first);
	}
	if (!templates->told && first == t->entry)
		templates->found = REPLAY_GRAM - 1;
}

static bool is_exact(const struct template *t, uint32_t slot, uint32_t token)
{
	return slot != REPLAY_NONE &&
	       replay_slot_at(t->replay, slot)->token == token;
}

/* Whether it is known where iterations of the current template begin. */
static bool knows_begin(const struct templates *templates)
{
	return templates->told || templates->current->sure == SURE_MOST;
}

uint32_t templates_ask(struct templates *templates, uint32_t token,
		       uint64_t size)
{
	struct template *current = templates->current, *other;
	bool lost = replay_missed(current->replay) >= REPLAY_GRAM - 1;
	uint32_t next = replay_next(current->replay);
	uint32_t slot = replay_ask(current->replay, token, size), begin = 0;

	templates->found = 0;
	if (lost && slot != REPLAY_NONE)
		found_note(templates, current, slot);
	if (templates_count(templates) < 2 ||
	    (is_exact(current, slot, token) &&
	     (slot == next || !knows_begin(templates))))
		return slot;
	other = other_begins(templates, token, &begin);
	/* A smaller request may use the place as well, and the program may go
	 * on elsewhere in the same plan. */
	if (!other && slot != REPLAY_NONE)
		return slot;
	if (!other) {
		other = other_goes_on(templates, token, &begin);
		if (other)
			found_note(templates, other, begin);
	}
	if (!other)
		return slot;
	replay_begin(other->replay, begin);
	template_use(templates, other);
	return replay_ask(other->replay, token, size);
}

/* Older requests count half. */
static void window_count(struct templates *templates, uint64_t size,
			 bool foreseen)
{
	templates->asked += size;
	templates->foreseen += foreseen ? size : 0;
	templates->begun_asked += size;
	templates->begun_foreseen += foreseen ? size : 0;
	if (++templates->window <
	    WINDOW_LAPS * replay_lap(templates->current->replay))
		return;
	templates->window = 0;
	templates->asked /= 2;
	templates->foreseen /= 2;
}

/* A request was served. at_entry: iterations begin with it; next: the slot
 * behind it, or REPLAY_NONE if it was not foreseen. */
static void request_note(struct templates *templates, uint32_t token,
			 uint64_t size, bool at_entry, uint32_t next)
{
	if (!templates->told && at_entry)
		templates->since = 0;
	else if (templates->found)
		templates->since = templates->found;
	templates->found = 0;
	templates->since++;
	templates->recent[templates->served++ % CYCLE_KEY] = token;
	window_count(templates, size, next != REPLAY_NONE);
	if (next != REPLAY_NONE)
		templates->left = next;
}

uint64_t templates_served(struct templates *templates, uint32_t token,
			  uint64_t size)
{
	struct replay *replay = templates->current->replay;
	uint64_t before = templates->since;
	bool at_entry = is_at_entry(templates->current);

	replay_served(replay, false);
	request_note(templates, token, size, at_entry,
		     replay_missed(replay) ? REPLAY_NONE : replay_next(replay));
	return templates->told || templates->since == before + 1
		       ? 0
		       : templates->since;
}

bool templates_begin_at(const struct templates *templates, uint32_t slot)
{
	const struct template *t = templates->current;

	return !templates->told &&
	       (slot - t->entry) % replay_part(t->replay) == 0;
}

bool templates_pass(struct templates *templates, uint32_t slot)
{
	const struct template *t = templates->current;
	const struct replay_slot *at = replay_slot_at(t->replay, slot);
	bool begins = templates_begin_at(templates, slot);

	request_note(templates, at->token, at->size, begins,
		     (uint32_t)((slot + 1) % replay_count(t->replay)));
	return begins;
}

void templates_mark(struct templates *templates)
{
	struct template *current = templates->current;

	templates->since = 0;
	templates->told = true;
	if (current && replay_next(current->replay) != REPLAY_NONE &&
	    !replay_missed(current->replay))
		entry_note(current, replay_next(current->replay));
}
