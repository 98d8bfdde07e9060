"""As rows.py, for what regions are made of."""

MANAGED = "src/heap/managed.c"
SEGMENT = "src/heap/grow_segment.c"
DRIVER = "src/heap/region_driver.c"
ATTRIBUTES = "src/hooks/pointer_attributes.c"
OPTION = "src/common/option.c"
TESTS = "test_backings.py -k "

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
     (ATTRIBUTES, "	if (holder.backing == BACKING_managed &&\n"
      "	    attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER)",
      "	if (false)")),
    ("idle_managed_memory_is_free_twice", TESTS + "no_more_is_free",
     ("src/mem/mem_info.c", "	if (!atomic_load(&device->managed) ||",
      "	if (true || !atomic_load(&device->managed) ||")),
    ("a_segment_outlasts_its_pages", TESTS + "goes_back_whole",
     (SEGMENT, "	pages->ends = true;\n", "")),
    ("pinned_memory_may_have_a_backing", TESTS + "lacks_is_refused",
     (OPTION, "*device == DEVICE_HOST && strchr(name, '@')", "false")),
    ("what_can_t_be_had_is_an_error", TESTS + "refused_is_said",
     ("src/heap/grow.c", "	if (fails_otherwise(res)) {",
      "	if (false) {")),
]
