"""As rows.py, for pools that keep nothing: src/tcache/pass_through.h and what
it calls."""

DIRECT = "src/tcache/pass_through.h"
ENDS = "src/tcache/pass_through.c"
INDEX = "src/block/block_index.c"
BLOCKS = "src/tcache/tcache_blocks.c"
CACHE = "src/tcache/tcache.c"
THREADS = "src/stats/thread_stats.c"

ROWS = [
    ("a_known_address_is_not_looked_for", "unit",
     (INDEX, "		if (entry_is(*found, home.tag) &&\n"
      "		    block_is_at(entry_block(*found), addr))\n"
      "			return NULL;\n		else if", "		if")),
    ("a_full_table_takes_one_more", "unit",
     (INDEX, "	else if (!table_is_full(table) && home.entry",
      "	else if (home.entry")),
    ("a_replaced_table_keeps_a_page", "unit",
     (INDEX, "madvise(table, table_bytes(table->size)",
      "madvise((char *)table + 4096, table_bytes(table->size) - 4096")),
    ("another_pools_block_is_direct", "test_direct.py -k another_device",
     (DIRECT, "	if (!LIKELY(block_pool(block) == pool)) {", "	if (false) {")),
    ("another_pools_block_is_gone_for_a_moment",
     "race direct free of another pool's beside a growth",
     (DIRECT, "	if (!LIKELY(block_pool(block) == pool)) {\n",
      "	block->word = addr | BLOCK_GONE;\n"
      "	if (!LIKELY(block_pool(block) == pool)) {\n")),
    ("a_free_returns_to_the_next_pool", "race direct free beside a swap",
     (DIRECT, "LIKELY(freed) &&\n		  LIKELY(pass_through_pool(cache) == block_pool(block))",
      "LIKELY(freed)")),
    ("a_block_is_known_to_the_next_pool",
     "race direct calls beside their context's end",
     (DIRECT, "	if (!LIKELY(pass_through_pool(cache) == pool))\n		goto slow;\n",
      "")),
    ("a_block_comes_back_before_its_free",
     "race direct calls beside their context's end",
     (DIRECT, "	figure_add(&cache->stats.frees, 1);\nleave:",
      "	figure_add(&cache->stats.frees, 1);\n"
      "	pass_through_checkout(cache, -(uint64_t)1, -block->span);\nleave:"),
     (DIRECT, "		pass_through_checkout(cache, -(uint64_t)1, -block->span);\n"
      "		figure_add(&cache->stats.reserved, -block->span);",
      "		figure_add(&cache->stats.reserved, -block->span);")),
    ("what_was_lent_is_not_told", "test_direct.py -k pool_that_was",
     (BLOCKS, "	pass_through_settle(cache);\n", "")),
    ("a_failed_free_is_forgotten", "test_direct.py -k does_not_free",
     (DIRECT, "	counted = LIKELY(freed) &&\n", "	counted =\n")),
    ("a_failed_request_stays_lent", "test_direct.py -k failure_of",
     ("src/heap/fresh.c",
      "	fresh_cancel(pool, size); /* the pool may end */\n", "")),
    ("a_limit_is_not_seen", "test_direct.py -k limit",
     (CACHE, "closed || limited ? NULL", "closed ? NULL")),
    ("a_limit_counts_before_what_is_claimed",
     "race request beside a first limit",
     ("src/heap/limit.c", "		tcaches_limit(true);\n", "		(void)0;\n")),
    ("a_shut_cache_is_direct", "test_direct.py -k captures",
     (CACHE, "closed || limited ? NULL", "limited ? NULL")),
    ("an_unseen_door_is_never_noticed", "test_direct.py -k door",
     (ENDS, "		context_current();\n", "		(void)cache;\n")),
    ("the_peak_of_what_is_reserved_is_that_of_live", "test_direct.py -k peak",
     (THREADS, "	return reserved < live ? reserved : live;", "	return live;")),
]
