"""As rows.py, for what regions are made of."""

MANAGED = "src/heap/managed.c"
SEGMENT = "src/heap/grow_segment.c"
DRIVER = "src/heap/region_driver.c"
ATTRIBUTES = "src/hooks/pointer_attributes.c"
OPTION = "src/common/option.c"
CHOICE = "src/common/pool_choice.c"
PLACING = "src/pools/placing.c"
TESTS = "test_backings.py -k "
PINNED = "test_pinned_regions.py -k "

ROWS = [
    ("managed_regions_take_any_amount", TESTS + "take_no_more",
     (MANAGED, "reserved <= total - span", "true")),
    ("managed_memory_is_taken_in_a_capture", TESTS + "capture_is_served",
     (MANAGED, "	return !capture_any() &&\n	       backing",
      "	return backing")),
    ("managed_memory_need_not_move_by_the_page", TESTS + "pages_that_move",
     (MANAGED, "	return !capture_any() &&\n	       backing_is_managed_by"
      "_page(device_ordinal(heap->device));",
      "	(void)heap;\n	return !capture_any();")),
    ("managed_blocks_are_managed_for_the_program", TESTS + "has_the_face",
     (ATTRIBUTES, "		*(unsigned int *)answer = 0;", "		;")),
    ("the_host_has_an_address_of_managed_blocks", TESTS + "has_the_face",
     (ATTRIBUTES, "		*(void **)answer = NULL;", "		;")),
    ("one_question_tells_the_hosts_address", TESTS + "has_the_face",
     (ATTRIBUTES, "	if (holder.backing == MNM_BACKING_MANAGED &&\n"
      "	    attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER)",
      "	if (false)")),
    ("idle_managed_memory_is_free_twice", TESTS + "no_more_is_free",
     ("src/mem/mem_info.c", "	if (!atomic_load(&device->managed) ||",
      "	if (true || !atomic_load(&device->managed) ||")),
    ("what_lies_elsewhere_is_missing_in_what_is_free", TESTS + "lies_elsewhere",
     ("src/mem/mem_info.c", "room_in(unpooled, elsewhere_of(device))",
      "unpooled")),
    ("a_device_that_lacks_a_backing_is_not_told_of", TESTS + "is_said_once",
     ("src/heap/grow.c", "		lack_tell(heap, pool->view.backing);\n",
      "		;\n")),
    ("that_there_are_no_addresses_is_not_told", TESTS + "no_addresses",
     ("src/heap/pages.c", "		if (res)\n			log_info(",
      "		if (false)\n			log_info(")),
    ("it_is_told_of_again_and_again", TESTS + "is_said_once",
     ("src/heap/grow.c", "!(atomic_fetch_or(&told, bit) & bit)", "true")),
    ("a_segment_outlasts_its_pages", TESTS + "goes_back_whole",
     (SEGMENT, "	pages->ends = true;\n", "")),
    ("pinned_memory_may_have_a_devices_backing", TESTS + "lacks_is_refused",
     (OPTION, "!host && *device == DEVICE_HOST && strchr(name, '@')",
      "false")),
    ("a_device_may_have_the_backing_host", TESTS + "lacks_is_refused",
     (OPTION, "host && *device != DEVICE_HOST", "false")),
    ("a_bare_backing_host_is_for_all", PINNED + "backing_of_its_own",
     (OPTION, "host && *device == DEVICE_ALL", "false")),
    ("pinned_memory_has_a_devices_regions", PINNED + "backing_of_its_own",
     (CHOICE, "	return pool_rows[row].backing == MNM_BACKING_NONE\n		       ?",
      "	return true ?")),
    ("pinned_blocks_share_a_page", PINNED + "no_page",
     (PLACING, "? MNM_HOST_PAGE : UNIT", "? UNIT : UNIT")),
    ("a_region_is_large_where_the_host_is_short", PINNED + "little_memory",
     (PLACING, "MNM_BACKING_HOST && mnm_growth_is_least(rule)", "MNM_BACKING_NONE")),
    ("regions_of_the_host_stay_past_what_may_be_locked",
     PINNED + "may_be_locked",
     ("src/heap/reclaim.c", "? host_past(0)", "? 0")),
    ("a_copy_may_not_leave_pinned_memory",
     "test_bounds.py -k of_the_host_is",
     ("src/hooks/bounds.c", "if (backing == MNM_BACKING_HOST)", "if (false)")),
    ("the_garbage_threshold_is_for_pinned_memory", PINNED + "garbage",
     ("src/heap/garbage.c", "device_is_host(device) ||", "")),
    ("a_free_beside_a_capture_without_a_mark_is_cudas",
     "test_regions_ordered.py -k gets_no_mark",
     ("src/mem/mem_free.c", "capture_any() && !kept ?", "capture_any() ?")),
    ("what_can_t_be_had_is_an_error", TESTS + "refused_is_said",
     ("src/heap/grow.c", "	if (fails_otherwise(res)) {",
      "	if (false) {")),
]
