"""As rows.py, for what single pools do."""

ALIAS = "src/common/option_alias.c"
CLASSES = "include/mnm/size_class.h"
HEADROOM = "src/heap/headroom.c"
MEM = "src/mem/mem.c"

ROWS = [
    ("sizes_past_the_bound_are_as_below_it", "unit",
     (CLASSES, "	if (classes->coarse && size > classes->coarse)",
      "	if (false)")),
    ("a_pool_with_a_bound_has_every_unit", "test_cache.py -k warm_pair",
     (CLASSES, "	return !classes->divisions && !classes->coarse;",
      "	return !classes->divisions;")),
    ("a_bound_is_less_than_a_page", "unit",
     ("src/pools/round_pool.c",
      "		bound > options->page_size ? bound : options->page_size;",
      "		bound;")),
    ("no_pool_leaves_headroom", "test_headroom.py -k before_less",
     (MEM, "		headroom_keep(pool, taken);", "		(void)headroom_keep;")),
    ("the_headroom_has_been_used_before_it_is_seen", "unit",
     (HEADROOM, "free < span || free - span < percent", "free < percent")),
    ("headroom_is_used_up_where_it_is_not", "unit",
     (HEADROOM, "free - span < percent", "free - span <= percent")),
    ("a_request_past_all_memory_leaves_headroom", "unit",
     (HEADROOM, "	return free < span ||", "	return")),
    ("pools_without_headroom_leave_some", "unit",
     (HEADROOM, "	if (!pool->view.headroom || ", "	if (")),
    ("pinned_memory_has_headroom", "unit",
     (HEADROOM, "device_is_host(device) || ", "")),
    ("headroom_is_asked_for_in_a_capture", "test_headroom.py -k capture",
     (HEADROOM, "capture_any() ||\n", "\n")),
    ("headroom_is_asked_for_where_nothing_is_idle",
     "test_headroom.py -k only_if",
     (HEADROOM, "	    !counter_get(device, COUNTER_idle_bytes) ||\n", "")),
    ("what_can_not_be_had_costs_all_that_is_idle", "unit",
     (HEADROOM, "	    span > total || ", "	    ")),
    ("a_streams_request_waits_for_headroom", "unit",
     (HEADROOM, "	if (waits_are_forbidden())\n"
      "		owed_try(device, SIZE_MAX);\n	else\n", "")),
    ("an_alias_counts_more_than_the_option", "test_alias.py -k counts_more",
     (ALIAS, "	if (value_of(own))\n		return ALIAS_YIELDS;\n", "")),
    ("an_empty_alias_is_wrong", "test_alias.py -k empty_alias",
     (ALIAS, "	return value && *value ? value : NULL;", "	return value;")),
    ("a_wrong_alias_hands_all_to_cuda", "test_alias.py -k not_known",
     ("src/mem/state.c", "		log_warn(\"%s has no effect: %s\", "
      "alias->variable, error);\n", "		serving_end();\n")),
    ("an_alias_is_for_pinned_memory_too", "test_alias.py -k of_its_name",
     (ALIAS, "\"naive_pool,host:\" POOL_DEFAULT", "\"naive_pool\"")),
    ("doctor_knows_no_alias", "test_alias.py -k doctor",
     ("src/cli/doctor/variables.c", "	aliases_check(report);\n", "")),
    ("a_list_is_judged_by_its_last_block_alone", "unit",
     ("src/pools/bins.c",
      "	    mnm_block_is_ready(bin->idle.head, request) &&\n", "")),
]
