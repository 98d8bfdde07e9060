"""As rows.py, for CUDA calls that a tool makes inside CUDA's own calls."""

USE = "src/context/context_use.c"
GIVE = "src/heap/reclaim.c"
FREE = "src/mem/mem_free.c"

ROWS = [
    ("an_end_waits_for_itself", "test_inside.py",
     (USE, "!context->dead && !is_ending_here(context))",
      "!context->dead && !(false && is_ending_here(context)))")),
    ("what_is_ending_here_is_used_by_nobody", "test_inside.py",
     (USE, "	else if (context->closing && !is_ending_here(context))",
      "	else if (context->closing)")),
    ("an_end_inside_an_end_is_over_first", "test_inside.py",
     (USE, "	own_ends_change(context, NULL);\n",
      "	for (int i = 0; i < ENDS_MAX; i++)\n"
      "		own_ends_change(context, NULL);\n")),
    ("a_context_that_is_ending_serves", "test_inside.py",
     (USE, "	return !context->dead && !context->closing;",
      "	return !context->dead;")),
    ("a_release_inside_waits_for_the_lock", "test_inside.py",
     ("src/hooks/primary.c", "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
      "PTHREAD_MUTEX_INITIALIZER")),
    ("who_gives_back_waits_for_itself", "test_inside.py -k free",
     (GIVE, "	while (!giving_here && giving[", "	while (giving[")),
    ("memory_of_an_ended_context_is_wrong_to_free",
     "race a context's end beside a foreign free",
     (FREE, "word & BLOCK_IDLE && !is_left_over(addr)",
      "word & BLOCK_IDLE")),
    ("a_foreign_free_does_not_await_an_end",
     "race an end that fails beside a second free",
     (FREE, "	context_await(context); /* then", "	/* then")),
    ("a_foreign_free_inside_an_end_is_wrong", "test_inside.py -k left",
     (FREE, "	return !context_serves(context) || !block_find(",
      "	return context->dead || !block_find(")),
]
