"""Work of one device on memory of another, as rows.py has it."""

REACH = "src/core/reach.c"
GEN = "src/hooks/gen_work"
MEMORY = "src/hooks/memory.c"
VISIT = "src/hooks/visit.c"
EXPORTED = "src/hooks/exported.c"

ROWS = [
    ("copies_do_not_share", "proof",
     (REACH, "	if (device_count() < 2)", "	if (true)")),
    ("what_visits_is_not_joined", "proof",
     (REACH, "	fence_share(owner);\n	fence_join(owner, visitor);",
      "	fence_share(owner);")),
    ("second_visitor_is_not_joined", "test_contexts.py -k visits",
     (REACH, "visitor->joined & bit)", "owner->shared)")),
    ("a_node_is_of_the_current_context", "test_visits.py -k names",
     (VISIT, "	if (!by.none && context)\n"
      "		by.context = context_named(context);",
      "	(void)context;\n	if (!by.none)\n"
      "		by.context = context_current();")),
    ("a_renewed_node_is_of_the_current_context",
     "test_visits.py -k new_parameters",
     (GEN, "named.group(1) if named else 'NULL'",
      "named.group(1) if named else 'context_current()->handle'")),
    ("a_node_of_anyone_joins_nobody", "test_visits.py -k anyones",
     (REACH, "	for (int i = 0; i < count; i++)\n"
      "		visit(list[i], owner);",
      "	(void)visit;")),
    ("a_free_is_ahead_of_the_fence", "test_visits.py -k free",
     (MEMORY, "	visit_freed(stream, given);\n", "")),
    ("a_free_in_a_stream_is_of_the_current_context", "test_visits.py -k free",
     (VISIT, "	by = visitor_of_stream(stream);\n	if (by.context &&",
      "	by = visitor_of_stream(NULL);\n	if (by.context &&")),
    ("batches_are_not_looked_at", "test_visits.py -k can_not_do",
     (VISIT, "	if (side->type == CU_MEMCPY_OPERAND_TYPE_POINTER)",
      "	if (false)")),
    ("multicast_memory_is_reused", "test_visits.py -k multicast",
     (EXPORTED, "	return exported(REAL_CALL(cuMulticastBindAddr, handle, "
      "offset, ptr,\n				  size, flags),\n"
      "			ptr);",
      "	return REAL_CALL(cuMulticastBindAddr, handle, offset, ptr,\n"
      "			 size, flags);")),
]
