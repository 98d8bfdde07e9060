"""As rows.py, for calls that are out of memory, and for limits."""

ROOM = "src/mem/room.c"
ROOM_OF = "src/hooks/room_of.c"
TAKE = "src/heap/acquire.c"
LIMIT = "src/heap/limit.c"
FOREIGN = "src/mem/foreign.c"
MEM = "src/mem/mem.c"
PRIMARY = "src/hooks/primary.c"
THREADS = "src/stats/thread_stats.c"

ROWS = [
    ("a_call_into_a_capture_that_failed_is_made_again", "test_room.py -k has_failed",
     (ROOM, "room->spoiled || !config_once()", "!config_once()")),
    ("it_is_made_again_where_that_ends_a_capture", "test_room.py -k beside",
     (ROOM, "	room->relaxed = capture_any();", "	room->relaxed = false;")),
    ("the_mode_for_captures_stays", "test_room.py -k is_as_it_was",
     (ROOM, "		backing_unrelax(room->mode);", "		;")),
    ("all_goes_back_at_once", "test_room.py -k known_size",
     (ROOM, "	if (number == STEP_NEED && !room->bytes)",
      "	if (number == STEP_NEED)")),
    ("pinned_memory_is_kept", "test_room.py -k pinned",
     (ROOM, "STEP_NEED, STEP_ALL, STEP_OTHER, STEP_MAX",
      "STEP_NEED, STEP_ALL, STEP_MAX, STEP_OTHER")),
    ("what_is_not_short_goes_first", "test_room.py -k goes_first",
     (ROOM, "room->pinned != (number == STEP_OTHER)",
      "room->pinned == (number == STEP_OTHER)")),
    ("room_under_the_lock_that_a_reset_needs",
     "test_inside.py -k hold_up",
     (PRIMARY, "	res = REAL_CALL(cuDevicePrimaryCtxRetain, out, device);",
      "	res = ROOM_CALL(cuDevicePrimaryCtxRetain, out, device);")),
    ("the_current_device_for_a_stream", "test_room.py -k launch_gives",
     (ROOM_OF, "!room->devices && stream &&", "false && stream &&")),
    ("the_current_device_for_a_pool", "test_room.py -k pools_device",
     (ROOM_OF, "	room_device(room, ordinal);\n}\n\nvoid room_physical",
      "	(void)ordinal;\n}\n\nvoid room_physical")),
    ("a_call_waits_for_another_device", "test_room.py -k might_wait",
     (ROOM, "!room->pinned && device_count() > 1", "false")),
    ("a_request_waits_for_another_device", "test_room.py -k might_wait",
     (TAKE, "device_count() > 1", "false")),
    ("nothing_of_the_other_kind", "test_room.py -k other_kind",
     (TAKE, "res == full && other_gives(heap)", "false && other_gives(heap)")),
    ("unpooled_memory_has_no_limit", "test_limits.py -k no_pool_has",
     (FOREIGN, "	if (limit_claim_pressed(order->device, bytes, false))",
      "	device_claim_unpooled(order->device, (int64_t)bytes);\n"
      "	if (true)")),
    ("a_failed_call_stays_claimed", "test_limits.py -k refuses_is_not",
     (FOREIGN, "	if (order->device)\n		device_claim_unpooled",
      "	if (false)\n		device_claim_unpooled")),
    ("a_failed_free_is_not_claimed", "test_limits.py -k not_free_stays",
     (FOREIGN, "	if (!failed || foreign_find(",
      "	foreign_unclaim(foreign);\n	if (!failed || foreign_find(")),
    ("the_soft_limit_counts_all", "test_limits.py -k soft_limit_is_for_pools",
     (LIMIT, "soft ? limit_past(pooled, span", "soft ? limit_past(claim, span")),
    ("memory_figures_leave_out_what_no_pool_has",
     "test_limits.py -k no_pool_has",
     ("src/mem/mem_info.c", "room_in(limit, held + unpooled)",
      "room_in(limit, held)")),
    ("what_was_direct_is_not_claimed", "test_limits.py -k changes_while",
     (THREADS, "		device_claim(device, moved);\n", "")),
    ("a_lower_limit_keeps_what_is_idle", "test_limits.py -k sends_what",
     (LIMIT, "			device_trim(device_at(i));", "			;")),
]
