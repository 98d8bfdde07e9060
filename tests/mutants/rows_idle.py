"""As rows.py, for what bounds idle memory: src/heap/idle_limit.c and its
callers."""

BOUND = "src/heap/idle_limit.c"
FREE = "src/mem/mem_free.c"
GIVE = "src/heap/reclaim.c"
MEM = "src/mem/mem.c"
POOLS = "src/heap/pools.c"
SWAP = "src/heap/swap.c"
CACHE = "src/tcache/tcache_rooms.c"

ROWS = [
    ("the_first_reading_looks_at_heaps", "unit",
     ("src/heap/swap.c", "	if (!any_is_used())\n		return;\n",
      "	(void)any_is_used;\n")),
    ("nothing_is_held", "unit",
     (BOUND, "	return kept > most ? kept - most : 0;", "	return 0;")),
    ("all_is_held_for_good", "unit",
     (BOUND, "(fresh || paused <= percent(view.peak, PAUSE) ||\n"
      "		      view.all > percent(view.peak, WORTH_MOST));", "true;")),
    ("a_pause_is_worth_any_memory", "unit",
     (BOUND, " ||\n		      view.all > percent(view.peak, "
      "WORTH_MOST));", ");")),
    ("what_is_shed_is_not_missed", "unit",
     (BOUND, "	more_add(bound, span, 1);\n"
      "	bound->beyond += (int64_t)span;", "	;")),
    ("slack_has_no_end_in_a_bound", "unit",
     (BOUND, "	left -= lesser(left, bound->spare);\n", "")),
    ("a_request_is_not_part_of_the_peak", "unit",
     (BOUND, ".peak = peak_of(device, span)", ".peak = peak_of(device, 0)")),
    ("what_is_pending_is_had_twice", "unit",
     (BOUND, "(int64_t)(view.reserved - pending)",
      "(int64_t)(view.reserved + 0 * pending)")),
    ("a_bound_gives_back_in_a_request", "test_idle.py -k never_in_requests",
     (MEM, "		reclaim_shed(heap, bytes);\n",
      "		reclaim_shed(heap, bytes);\n"
      "	if (heap->pending)\n		reclaim_now(heap->device, 0);")),
    ("a_roomy_block_comes_back_unseen", "test_idle.py -k several_shapes",
     ("src/mem/look.c", "	block_mark(block, block_addr(block), BLOCK_ROOMY);\n", "")),
    ("a_number_bounds_nothing", "test_idle.py -k number",
     (FREE, "	reclaim_past_limit(device);\n", "")),
    ("a_threads_cache_passes_the_number", "test_idle.py -k number",
     (CACHE, "	if (room > idle)\n		room = idle;\n",
      "	(void)idle;\n")),
    ("a_number_that_is_set_waits_for_the_next_miss",
     "test_idle.py -k set_live",
     (SWAP, "	pools_trim(heap, idle_limit_past(heap->device));\n", "")),
    ("blocks_to_spare_fill_the_device", "unit",
     ("src/heap/idle_limit.c", "lesser(percent(view.peak, SPARE), all / SPARE_OF_ALL)",
      "percent(view.peak, SPARE)")),
    ("a_surplus_stays", "test_idle.py -k turns",
     (GIVE, "	while (found < bytes &&\n	       (span =",
      "	while (false &&\n	       (span =")),
]
