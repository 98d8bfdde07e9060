/* Which graph's end is also another graph's: src/heap/graph_owner.c. */
#include "heap/graph_owner.h"
#include "heap/deferred_free.h"
#include "run.h"

/* These tests do not look at what graphs hold. */
void graph_attached(const void *from, const void *graph)
{
	(void)from;
	(void)graph;
}

void graph_ended(const void *graph)
{
	(void)graph;
}

static const char a, b, c, node, other;

START_TEST(a_nested_graph_is_that_of_the_outermost)
{
	graph_owned(&b, &a, &node);
	graph_owned(&c, &b, &other);
	ck_assert_ptr_eq(graph_root(&c), &a);
	graph_owner_ended(&a);
	ck_assert_ptr_eq(graph_root(&c), &c);
	ck_assert_ptr_eq(graph_root(&b), &b);
}
END_TEST

START_TEST(two_that_seem_to_be_each_others_are_of_nobody_known)
{
	graph_owned(&a, &b, &node);
	/* Here the end of a, and of its node, was not seen. */
	graph_owned(&b, &a, &other);
	ck_assert_ptr_ne(graph_root(&a), &a);
	ck_assert_ptr_ne(graph_root(&a), &b);
	ck_assert_ptr_eq(graph_root(&a), graph_root(&b));
}
END_TEST

START_TEST(with_a_node_go_its_graphs_and_theirs)
{
	graph_owned(&b, &a, &node);
	graph_owned(&c, &b, &other);
	graph_node_end_finish(graph_node_end_begin(&node), false);
	ck_assert_ptr_eq(graph_root(&b), &b);
	ck_assert_ptr_eq(graph_root(&c), &c);
}
END_TEST

START_TEST(a_node_that_stays_keeps_them)
{
	graph_owned(&b, &a, &node);
	graph_owned(&c, &b, &other);
	graph_node_end_finish(graph_node_end_begin(&node), true);
	ck_assert_ptr_eq(graph_root(&b), &a);
	ck_assert_ptr_eq(graph_root(&c), &a);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_nested_graph_is_that_of_the_outermost,
		two_that_seem_to_be_each_others_are_of_nobody_known,
		with_a_node_go_its_graphs_and_theirs,
		a_node_that_stays_keeps_them,
		NULL,
	};

	return tests_run("graph owner", tests);
}
