/* Who has asked for what lives: a table against a plain list. */
#include <stdlib.h>

#include "record/askers.h"
#include "run.h"

enum { ADDRESSES = 3000, STEPS = 200000 };

static struct mnm_record_event event_of(enum mnm_record_kind kind,
					uint64_t address, uint64_t site)
{
	return (struct mnm_record_event){.kind = (uint8_t)kind,
					 .flags = MNM_RECORD_SERVED |
						  MNM_RECORD_ORDERED |
						  MNM_RECORD_FENCE,
					 .address = address,
					 .site = site,
					 .thread = (uint32_t)site + 1,
					 .stream = (uint32_t)site % 7};
}

static void follow(enum mnm_record_kind kind, uint64_t address, uint64_t site)
{
	struct mnm_record_event event = event_of(kind, address, site);

	askers_follow(&event);
}

/* What is told of a block at that address. */
static struct mnm_record_event told(uint64_t address)
{
	struct mnm_record_event live = {.kind = MNM_RECORD_LIVE,
					.flags = MNM_RECORD_SERVED,
					.address = address};

	asker_tell(&live);
	return live;
}

/* In no order, so some have the same place in the table. */
static uint64_t address_of(uint32_t number)
{
	number = (number + 1) * UINT32_C(2654435769);
	number ^= number >> 15;
	number *= UINT32_C(2246822519);
	number ^= number >> 13;
	return number * UINT64_C(512);
}

START_TEST(each_block_has_its_own)
{
	static uint64_t sites[ADDRESSES];
	unsigned int drawn = 7, at;

	for (uint64_t step = 1; step <= STEPS; step++) {
		drawn = drawn * 1103515245 + 12345;
		at = drawn >> 8;
		at %= ADDRESSES;
		sites[at] = drawn >> 30 ? step : 0;
		follow(sites[at] ? MNM_RECORD_ALLOC : MNM_RECORD_FREE,
		       address_of(at), step);
	}
	for (at = 0; at < ADDRESSES; at++)
		ck_assert_uint_eq(told(address_of(at)).site, sites[at]);
	askers_forget();
	ck_assert_uint_eq(told(512).site, 0);
}
END_TEST

START_TEST(the_request_is_told)
{
	struct mnm_record_event live;

	follow(MNM_RECORD_ALLOC, 4096, 26);
	live = told(4096);
	ck_assert_uint_eq(live.thread, 27);
	ck_assert_uint_eq(live.stream, 5);
	ck_assert_uint_eq(live.flags, MNM_RECORD_SERVED | MNM_RECORD_ORDERED);
	ck_assert_uint_eq(told(8192).thread, 0);
	ck_assert_uint_eq(told(0).thread, 0);
	askers_forget();
}
END_TEST

START_TEST(there_are_so_many)
{
	for (uint64_t i = 1; i <= ASKERS_MOST + 2; i++)
		follow(MNM_RECORD_ALLOC, i * 512, i);
	ck_assert_uint_eq(told(UINT64_C(512) * ASKERS_MOST).site, ASKERS_MOST);
	ck_assert_uint_eq(told(UINT64_C(512) * (ASKERS_MOST + 1)).site, 0);
	follow(MNM_RECORD_FREE, 512, 0);
	follow(MNM_RECORD_ALLOC, UINT64_C(512) * (ASKERS_MOST + 3), 3);
	ck_assert_uint_eq(told(UINT64_C(512) * (ASKERS_MOST + 3)).site, 3);
	askers_forget();
}
END_TEST

int main(void)
{
	static const TTest *tests[4];

	tests[0] = each_block_has_its_own;
	tests[1] = the_request_is_told;
	tests[2] = there_are_so_many;
	return tests_run("record askers", tests);
}
