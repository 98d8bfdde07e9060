/* What a texture shows: elements are as they are stored. */
#include <math.h>

#include "run.h"
#include "sim/kernel_texture.h"

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

int main(void)
{
	const TTest *const tests[] = {
		the_sign_of_a_zero_is_kept,
		coordinates_are_rounded_down,
		NULL,
	};

	return tests_run("kernel_texture", tests);
}
