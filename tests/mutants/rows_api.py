"""As rows.py, for what a program may ask of mnm."""

API = "src/api/api.c"
POOL = "src/api/api_pool.c"
STATS = "src/api/api_stats.c"
MEMORY = "src/api/api_memory.c"
HOOKS = "src/api/frameworks.c"
RECORDED = "src/api/recorded.c"
LIVE = "src/mem/live_options.c"
TESTS = "test_api.py -k "
FRAMES = "test_framework_hooks.py -k "

ROWS = [
    ("a_device_may_be_one_that_is_not_there", TESTS + "not_there",
     (API, " &&\n	    backing_may_have_device(ordinal))", ")")),
    ("a_library_that_is_not_preloaded_serves", FRAMES + "by_its_path",
     (API, "	if (!is_preloaded()) {", "	if (0) {")),
    ("a_name_may_have_a_device", TESTS + "wrong_name",
     (POOL, '!strpbrk(pool, ",:") && ', "")),
    ("a_new_pool_gives_nothing_back", TESTS + "same_name",
     (POOL, "		 pool_choice_name(report.before));\n	reclaim_run(device);",
      "		 pool_choice_name(report.before));")),
    ("a_trim_waits_for_a_free", TESTS + "test_trim",
     (POOL, "	idle = device_trim(device);\n	reclaim_run(device);",
      "	idle = device_trim(device);")),
    ("a_removed_pool_stays", TESTS + "default_comes_back",
     (POOL, "config_current()->pool[device_ordinal(device)]",
      "atomic_load(&device->choice)")),
    ("a_long_name_runs_over", TESTS + "name_that_does_not_fit",
     (POOL, "strlen(found) >= size", "strlen(found) > size")),
    ("an_older_program_gets_too_much", TESTS + "other_versions",
     (STATS, "size < sizeof(known) ? size : sizeof(known)",
      "sizeof(known)")),
    ("a_later_program_keeps_garbage", TESTS + "other_versions",
     (STATS, "	if (size > sizeof(known))\n", "	if (0)\n")),
    ("a_mark_is_for_used_devices_only", TESTS + "iterations",
     ("src/mem/iteration.c", "		counter_add(device_at(i), COUNTER_iterations, 1);",
      "		if (device_at(i)->used)\n"
      "			counter_add(device_at(i), COUNTER_iterations, 1);")),
    ("a_batch_leaves_what_it_took", TESTS + "all_of_a_batch",
     (MEMORY, "		cuMemFree_v2(ptrs[count]);\n", "")),
    ("frees_end_at_the_first_error", TESTS + "go_on",
     (MEMORY, "		if (result && !first)\n			first = ",
      "		if (result)\n			return ")),
    ("a_capture_gets_a_node", TESTS + "each_launch",
     (MEMORY, "	return room.captured;", "	return false;")),
    ("the_last_setter_undoes_the_others", TESTS + "each_other_set",
     (LIVE, "	begin();\n	*config = now;\n	if (",
      "	*config = *config_current();\n	if (")),
    ("a_visit_stays", FRAMES + "device_that_is_named",
     (HOOKS, "	cuCtxPopCurrent_v2(&primary);\n", "	(void)primary;\n")),
    ("a_context_ends_with_the_visit", FRAMES + "without_a_context",
     (HOOKS, "	return atomic_fetch_or(&owned, bit) & bit;",
      "	return atomic_fetch_or(&owned, bit) | 1;")),
    ("memory_of_two_streams_follows_one", FRAMES + "two_streams",
     (HOOKS, "	if (recorded_take(addr, &others))",
      "	if (recorded_take(addr, &others) && 0)")),
    ("memory_that_cuda_serves_is_not_waited_for", FRAMES + "follows_both",
     (HOOKS, "		stream_follow(stream, others->at[i]);", "		(void)i;")),
    ("streams_that_are_not_noted_are_not_waited_for", FRAMES + "are_noted",
     (HOOKS, "	if (others->count > RECORDED_MOST)", "	if (0)")),
    ("a_child_waits_for_a_thread_of_its_parent", FRAMES + "of_its_parent",
     (RECORDED, "	once_run(&once, guard_fork);\n", "	(void)once;\n")),
    ("memory_stays_recorded", FRAMES + "two_streams",
     (RECORDED, "			HASH_DEL(all, record);", "			record = NULL;")),
    ("a_frameworks_hook_ends_the_program_without_memory",
     "test_scarce.py -k frameworks_hook",
     (RECORDED, "#include <uthash.h>", "#undef HASH_NONFATAL_OOM\n#include <uthash.h>")),
]
