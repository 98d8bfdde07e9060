/* What a texture shows: elements are as they are stored. */
#include <math.h>

#include "run.h"
#include "sim/kernel_levels.h"

static struct sim_texture texture(float *elements, size_t width, bool linear)
{
	return (struct sim_texture){
		.base = (char *)elements,
		.width = width,
		.format = SIM_FORMAT_FLOAT,
		.channels = 1,
		.modes = {1, 1, 1}, /* the last element is held */
		.is_linear = linear,
	};
}

START_TEST(the_sign_of_a_zero_is_kept)
{
	float elements[] = {-0.0F, 0.0F, -0.0F, -0.0F};
	struct sim_texture points = texture(elements, 4, false);
	struct sim_texture linear = texture(elements, 4, true);
	double values[4];

	for (int i = 0; i < 4; i++) {
		sim_fetch_whole(&points, i, 0, 0, values);
		ck_assert_int_eq(signbit(values[0]) != 0, i != 1);
		ck_assert_int_eq(signbit(values[1]), 0);
		sim_fetch(&points, i + 0.25, 0, 0, false, values);
		ck_assert_int_eq(signbit(values[0]) != 0, i != 1);
		ck_assert_int_eq(signbit(values[1]), 0);
	}
	sim_fetch(&linear, 3, 0, 0, false, values);
	ck_assert_int_ne(signbit(values[0]), 0);
	sim_fetch(&linear, 2, 0, 0, false, values);
	ck_assert_int_eq(signbit(values[0]), 0);
}
END_TEST

START_TEST(coordinates_are_rounded_down)
{
	float elements[] = {1, 2, 3, 4};
	struct sim_texture points = texture(elements, 4, false);
	static const struct {
		double at, value;
	} known[] = {
		{0, 1},        {0.99, 1},      {1, 2},           {3.5, 4},
		{-0.5, 1},     {-7, 1},        {1e300, 4},       {-1e300, 1},
		{INFINITY, 4}, {-INFINITY, 1}, {(double)NAN, 1},
	};
	double values[4];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		sim_fetch(&points, known[i].at, 0, 0, false, values);
		ck_assert_double_eq(values[0], known[i].value);
	}
	points.modes[0] = SIM_ADDRESS_BORDER;
	points.border[0] = 9;
	sim_fetch(&points, -0.5, 0, 0, false, values);
	ck_assert_double_eq(values[0], 9);
}
END_TEST

START_TEST(a_direction_goes_through_a_side_of_a_cube)
{
	static const struct {
		double direction[3];
		unsigned side;
		double s, t;
	} known[] = {
		{{2, 1, 0}, 0, 0.5, 0.25},   {{-2, 0, 1}, 1, 0.75, 0.5},
		{{1, 4, 2}, 2, 0.625, 0.75}, {{1, -4, 2}, 3, 0.625, 0.25},
		{{1, 2, 4}, 4, 0.625, 0.25}, {{1, 2, -4}, 5, 0.375, 0.25},
		{{1, 1, 1}, 4, 1, 0},        {{1, -1, 0}, 3, 1, 0.5},
	};
	double s, t;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		ck_assert_uint_eq(sim_cube_side(known[i].direction, &s, &t),
				  known[i].side);
		ck_assert_double_eq(s, known[i].s);
		ck_assert_double_eq(t, known[i].t);
	}
}
END_TEST

START_TEST(a_level_of_detail_may_be_between_two)
{
	float elements[] = {1, 1, 1, 1, 3, 3, 7};
	const struct sim_level levels[] = {
		{.base = (char *)elements, .width = 4},
		{.base = (char *)(elements + 4), .width = 2},
		{.base = (char *)(elements + 6), .width = 1},
	};
	struct sim_texture t = texture(elements, 4, false);
	static const struct {
		double level, near, mixed;
	} known[] = {
		{0, 1, 1},        {0.4, 1, 1.796875}, {0.5, 3, 2}, {1, 3, 3},
		{1.75, 7, 6},     {2, 7, 7},          {90, 7, 7},  {-3, 1, 1},
		{INFINITY, 7, 7}, {-INFINITY, 1, 1},
	};
	const double at[3] = {0.5, 0, 0};
	double values[4];

	t.flags = SIM_NORMALIZED;
	t.levels = levels;
	t.level_count = 3;
	t.level_most = 100;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		t.mixes_levels = 0;
		sim_fetch_level(&t, at, false, known[i].level, values);
		ck_assert_double_eq(values[0], known[i].near);
		t.mixes_levels = 1;
		sim_fetch_level(&t, at, false, known[i].level, values);
		ck_assert_double_eq(values[0], known[i].mixed);
	}
	t.level_bias = 1;
	sim_fetch_level(&t, at, false, 0, values);
	ck_assert_double_eq(values[0], 3);
	t.level_most = 0.5F;
	sim_fetch_level(&t, at, false, 9, values);
	ck_assert_double_eq(values[0], 2);
	t.level_least = 2;
	t.level_most = 3;
	sim_fetch_level(&t, at, false, 0, values);
	ck_assert_double_eq(values[0], 7);
}
END_TEST

START_TEST(slopes_tell_a_level)
{
	float elements[16] = {0};
	struct sim_texture t = texture(elements, 16, false);
	const double far[2][3] = {{0.25, 0, 0}, {0, 0.125, 0}};
	const double none[2][3] = {{0}};

	t.height = 64;
	t.flags = SIM_NORMALIZED;
	ck_assert_double_eq(sim_level_of(&t, far), 3);
	ck_assert(isinf(sim_level_of(&t, none)));
}
END_TEST

START_TEST(a_gather_goes_around_a_place)
{
	float elements[] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};
	struct sim_texture t = texture(elements, 3, false);
	const double at[3] = {1, 1, 0}, out[3] = {3, 1, 0};
	double values[4];

	t.height = 2;
	t.channels = 2;
	t.pitch = 6 * sizeof(float);
	sim_gather(&t, at, 1, values);
	ck_assert(values[0] == 40 && values[1] == 50 && values[2] == 20 &&
		  values[3] == 10);
	sim_gather(&t, out, 0, values);
	ck_assert(values[0] == 6 && values[1] == 6 && values[2] == 3 &&
		  values[3] == 3);
	sim_gather(&t, at, 3, values);
	ck_assert(values[0] == 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_sign_of_a_zero_is_kept,
		coordinates_are_rounded_down,
		a_direction_goes_through_a_side_of_a_cube,
		a_level_of_detail_may_be_between_two,
		slopes_tell_a_level,
		a_gather_goes_around_a_place,
		NULL,
	};

	return tests_run("kernel_texture", tests);
}
