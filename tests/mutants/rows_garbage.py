"""As rows.py, for the garbage threshold of best_fit_pool."""

GARBAGE = "src/heap/garbage.c"
POOL = "src/pools/best_fit_pool.c"
PLACED = "src/heap/placed.c"
TESTS = "test_garbage.py -k "

ROWS = [
    ("garbage_goes_below_the_threshold", TESTS + "else_all_stays",
     (GARBAGE, "	if (!past)\n		return;\n", "	past += !past;\n")),
    ("garbage_goes_in_a_capture", TESTS + "in_a_capture",
     (GARBAGE, "	    capture_any() ||", "	    false ||")),
    ("garbage_knows_no_limit_of_pools", TESTS + "limit_is_what",
     (GARBAGE, "	size_t limit = limit_get(LIMIT_POOL), total;",
      "	size_t limit = 0, total;")),
    ("garbage_knows_no_hard_limit", TESTS + "limit_is_what",
     (GARBAGE, "		limit = limit_get(LIMIT_HARD);", "		;")),
    ("garbage_waits_until_memory_is_short", TESTS + "oldest_segment",
     ("src/heap/grow.c", "		garbage_collect(pool);", "		;")),
    ("the_youngest_garbage_goes", TESTS + "oldest_segment",
     (POOL, "age_of(self, *link) < *age)", "age_of(self, *link) > *age)")),
    ("garbage_does_not_age", TESTS + "oldest_segment",
     (POOL, "	self_of(pool)->served += kind == LARGE;\n", "")),
    ("small_segments_are_garbage", TESTS + "small_segments",
     (POOL, "	return region->kind == LARGE &&\n"
      "			       placing_is_free(&self->extents[LARGE], region)",
      "	return placing_is_free(&self->extents[region->kind], region)")),
    ("garbage_goes_once", TESTS + "as_many_go_back",
     (PLACED, "	while (bytes < least && more) {",
      "	while (!bytes && more) {")),
    ("all_garbage_goes", TESTS + "oldest_segment",
     (PLACED, "	while (bytes < least && more) {", "	while (more) {")),
]
