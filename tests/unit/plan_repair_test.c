/* Repairs of plans, compared with slow answers that are sure. */
#include "plan/repair.h"

#include <check.h>
#include <stdlib.h>

#include "plan_problems.h"
#include "run.h"

enum {
	DRAWN = 1500,
	SMALL = 6,
	STEPS = 2000,
	OFTEN = 95, /* of 100 best plans are found */
	ROUNDS = 200,
};

struct repaired {
	struct drawn drawn;
	struct shape shape;
	struct repair repair;
	struct plan_options options;
	struct watch watch;
	int64_t offsets[DRAWN_MOST];
};

/* Above one another, the worst plan that there is. */
static void stack(struct repaired *all)
{
	const struct shape *shape = &all->shape;
	int64_t top = 0;

	for (size_t i = 0; i < shape->count; i++) {
		all->offsets[i] = align_up(top, shape->align[i]);
		top = all->offsets[i] + shape->size[i];
	}
}

static void repaired_open(struct repaired *all, uint64_t seed,
			  const struct draw_rules *rules)
{
	uint32_t ranks[DRAWN_MOST];

	problem_draw(seed, rules, &all->drawn);
	ck_assert_int_eq(shape_open(&all->shape, &all->drawn.problem),
			 PLAN_DONE);
	for (uint32_t i = 0; i < all->shape.count; i++)
		ranks[i] = i;
	ck_assert(repair_open(&all->repair, &all->shape, ranks, seed));
	all->options = (struct plan_options){.seconds = 1e6};
	watch_start(&all->watch, &all->options);
	stack(all);
	repair_start(&all->repair, all->offsets);
}

static void repaired_close(struct repaired *all)
{
	repair_close(&all->repair);
	shape_close(&all->shape);
}

/* Whether the plan came down to that limit; if so, it has to be one. */
static bool comes_down(struct repaired *all, int64_t limit)
{
	uint64_t offsets[DRAWN_MOST];
	uint32_t steps = repair_run(&all->repair, limit, STEPS, &all->watch,
				    all->offsets);

	if (steps == repair_failed)
		return false;
	ck_assert_uint_le(steps, STEPS);
	for (size_t i = 0; i < all->shape.count; i++) {
		ck_assert_int_ge(all->offsets[i], 0);
		ck_assert_int_le(all->offsets[i] + all->shape.size[i], limit);
		offsets[i] = (uint64_t)all->offsets[i] * all->shape.unit;
	}
	ck_assert(offsets_are_valid(&all->drawn.problem, offsets));
	return true;
}

/* Of the best plans, most are found; what is below them is not. */
static void finds_the_best(const struct draw_rules *rules)
{
	int found = 0;

	for (uint64_t seed = 0; seed < DRAWN; seed++) {
		struct repaired all;
		int64_t best;

		repaired_open(&all, seed, rules);
		best = (int64_t)(peak_of_best(&all.drawn.problem) /
				 all.shape.unit);
		found += comes_down(&all, best);
		if (best > all.shape.bound) {
			stack(&all);
			repair_start(&all.repair, all.offsets);
			ck_assert(!comes_down(&all, best - 1));
		}
		repaired_close(&all);
	}
	ck_assert_int_ge(100 * found, OFTEN * DRAWN);
}

START_TEST(a_small_plan_comes_down_to_the_best)
{
	finds_the_best(&(struct draw_rules){1, SMALL, 12, 9, false, false});
}
END_TEST

START_TEST(a_small_plan_on_a_circle_comes_down_to_the_best)
{
	finds_the_best(&(struct draw_rules){1, SMALL, 12, 9, true, false});
}
END_TEST

START_TEST(a_small_plan_of_all_kinds_comes_down_to_the_best)
{
	finds_the_best(&(struct draw_rules){1, SMALL, 8, 40, true, true});
}
END_TEST

/* Some steps lead down, others fail; after these it starts from the best. */
static void comes_down_step_by_step(bool circle, bool align)
{
	const struct draw_rules rules = {DRAWN_MOST, DRAWN_MOST, 90,
					 5000,       circle,     align};
	int down = 0, failed = 0;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct repaired all;
		int64_t peak = 0;

		repaired_open(&all, seed, &rules);
		for (size_t i = 0; i < all.shape.count; i++)
			peak += all.shape.size[i] + all.shape.align[i];
		for (int round = 0; round < 6; round++) {
			/* The bound itself is often out of reach. */
			int64_t limit = round % 2
						? all.shape.bound
						: (peak + all.shape.bound) / 2;

			if (comes_down(&all, limit)) {
				peak = limit;
				down++;
				continue;
			}
			repair_start(&all.repair, all.offsets);
			ck_assert(comes_down(&all, peak));
			failed++;
		}
		repaired_close(&all);
	}
	ck_assert_int_gt(down, 2 * ROUNDS);
	ck_assert_int_gt(failed, 0);
}

START_TEST(a_plan_comes_down_step_by_step)
{
	comes_down_step_by_step(false, false);
}
END_TEST

START_TEST(a_plan_with_alignment_comes_down_step_by_step)
{
	comes_down_step_by_step(false, true);
}
END_TEST

START_TEST(a_plan_on_a_circle_comes_down_step_by_step)
{
	comes_down_step_by_step(true, true);
}
END_TEST

int main(void)
{
	static const TTest *tests[8];
	size_t n = 0;

	tests[n++] = a_small_plan_comes_down_to_the_best;
	tests[n++] = a_small_plan_on_a_circle_comes_down_to_the_best;
	tests[n++] = a_small_plan_of_all_kinds_comes_down_to_the_best;
	tests[n++] = a_plan_comes_down_step_by_step;
	tests[n++] = a_plan_with_alignment_comes_down_step_by_step;
	tests[n++] = a_plan_on_a_circle_comes_down_step_by_step;
	return tests_run("plan_repair", tests);
}
