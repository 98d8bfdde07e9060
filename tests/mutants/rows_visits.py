"""As rows.py, for work of one device on memory of another, and for graphs that
belong to a node of another graph."""

REACH = "src/order/peer.c"
GEN = "src/hooks/gen_work"
MEMORY = "src/hooks/memory.c"
VISIT = "src/hooks/peer_touch.c"
EXPORTED = "src/hooks/ipc.c"
GRAPHS = "src/hooks/graphs.c"
CAPTURES = "src/hooks/captures.c"
OWNER = "src/heap/graph_owner.c"
UNKNOWN = "src/hooks/unknown.c"
TABLE = "src/hooks/hook_table.c"

ROWS = [
    ("memory_by_a_stream_goes_with_the_current_context",
     "test_answers.py -k streams_context",
     ("src/hooks/ordered.c", "	if (context)\n		claim->context = context;\n",
      "")),
    ("copies_do_not_share", "proof",
     (REACH, "	int ordinal = backing_device_of(addr);\n",
      "	int ordinal = -1;\n\n	(void)addr;\n")),
    ("what_visits_is_not_joined", "proof",
     (REACH, "	fence_attach(device, peer);\n	atomic_fetch_or",
      "	atomic_fetch_or")),
    ("a_visitor_is_joined_before_it_shares", "race fence beside a first visit",
     (REACH, "	atomic_fetch_or(&peer->peer_of, bit);\n"
      "	atomic_store(&device->has_peers, true);\n"
      "	gate_recompute(device);\n	fence_attach(device, peer);\n",
      "	fence_attach(device, peer);\n"
      "	atomic_fetch_or(&peer->peer_of, bit);\n"
      "	atomic_store(&device->has_peers, true);\n"
      "	gate_recompute(device);\n")),
    ("second_visitor_is_not_joined", "test_contexts.py -k visits",
     (REACH, "peer->joined & bit)", "device->has_peers)")),
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
     (REACH, "	while ((context = context_next_using(&walk, NULL)))\n"
      "		peer_admit(owner, context);",
      "	(void)walk, (void)context;")),
    ("a_free_is_ahead_of_the_fence", "test_visits.py -k free",
     ("src/hooks/ordered_free.c", "	peer_touch_freed(stream, given);\n", "")),
    ("a_free_in_a_stream_is_of_the_current_context", "test_visits.py -k free",
     (VISIT, "	by = work_owner_of_stream(stream);\n	if (by.context &&",
      "	by = work_owner_of_stream(NULL);\n	if (by.context &&")),
    ("batches_are_not_looked_at", "test_visits.py -k batch",
     (VISIT, "	if (side->type == CU_MEMCPY_OPERAND_TYPE_POINTER)",
      "	if (false)")),
    ("multicast_memory_is_reused", "test_visits.py -k multicast",
     (EXPORTED, "	else if (holder.block)\n		mem_exported(holder.base);\n",
      "")),
    ("a_body_is_its_own", "test_graph_owner.py",
     (GRAPHS, "			graph_owned(condition->phGraph_out[i], graph, "
      "*node);",
      "			(void)graph_owned;")),
    ("a_childs_copy_is_its_own", "test_graph_owner.py",
     (GRAPHS, "		graph_owned(copy, graph, *node);", "		(void)graph_owned;")),
    ("a_capture_into_a_body_is_its_own", "test_graph_owner.py",
     (CAPTURES, "(CUgraph)graph_root(*graph)", "*graph")),
    ("a_new_graph_is_taken_for_a_former_one", "test_graph_owner.py",
     (GRAPHS, "	CUresult res = ROOM_CALL(cuGraphCreate, graph, flags);\n\n"
      "	if (!res && mem_enabled())",
      "	CUresult res = ROOM_CALL(cuGraphCreate, graph, flags);\n\n"
      "	if (false)")),
    ("a_graph_of_an_unknown_parent_is_its_own", "test_graph_owner.py",
     (GRAPHS, "		graph_met(*graph, node);", "		(void)graph_met;")),
    ("a_moved_graph_keeps_what_it_held", "test_graph_owner.py",
     (OWNER, "	graph_ended(graph);\n", "")),
    ("a_parents_end_is_not_its_childrens", "unit",
     (OWNER, "	if (!graph_owner_find(graph))\n"
      "		take_all_of(graph, NULL, &list);", "	(void)list;")),
    ("a_capture_is_the_former_graphs_at_its_address",
     "test_graph_owner.py -k capture_where",
     (CAPTURES, "		graph_is_new(*graph);", "		(void)graph_is_new;"),
     (GRAPHS, "graph_node_end_finish(list, res);",
      "graph_node_end_finish(list, true);")),
    ("a_capture_into_a_graph_makes_one", "test_graph_owner.py",
     ("src/order/capture.c", "	return capture && !capture->place.into;",
      "	return capture;")),
    ("a_nodes_end_leaves_its_graphs", "unit",
     (OWNER, "		if (failed)\n			graph_owner_enter(owned);",
      "		if (true)\n			graph_owner_enter(owned);")),
    ("a_node_that_stays_loses_its_graphs", "test_graph_owner.py -k not_destroyed",
     (GRAPHS, "graph_node_end_finish(list, res);",
      "graph_node_end_finish(list, false);")),
    ("two_that_are_each_others_have_a_root", "unit",
     (OWNER, "	if (graph_owner_find(graph))\n		graph = &unknown;\n", "")),
    ("what_is_unknown_shares_nothing", "test_visits.py -k no_header",
     (UNKNOWN, "		peer_mingle();", "		(void)peer_mingle;")),
    ("the_257th_unknown_entry_is_harmless", "test_corners.py -k of_any_device",
     (UNKNOWN, "			peer_share(NULL);", "			;")),
    ("a_later_form_is_known", "test_visits.py -k no_header",
     (TABLE, "	return row->symbol && version > CUDA_VERSION;",
      "	(void)version;\n	return false;")),
    ("what_is_found_unknown_is_called", "test_visits.py -k until",
     (UNKNOWN, "	stub = stub_of(entry);",
      "	stub = stub_of(entry);\n	peer_mingle();\n"
      "	for (int i = 0; i < DEVICE_MAX; i++)\n"
      "		peer_share(device_at(i));"),
     (UNKNOWN, "#include \"order/fence.h\"",
      "#include \"context/context.h\"\n#include \"order/fence.h\"")),
]
