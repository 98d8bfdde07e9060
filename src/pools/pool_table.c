#include "pool.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"

#define POOL(name, backing, summary) extern const struct mnm_pool_ops name;
POOL_LIST
#undef POOL

static const struct mnm_pool_ops *table[POOL_ROWS_MAX] = {
#define POOL(name, backing, summary) &name,
	POOL_LIST
#undef POOL
};

const struct mnm_pool_ops *pool_ops_at(int choice)
{
	return table[pool_choice_row(choice)];
}

void pool_ops_set(int row, const struct mnm_pool_ops *ops)
{
	table[row] = ops;
}

unsigned int pool_number(const struct pool *pool)
{
	unsigned int row = 0;

	while (row < POOL_ROWS_MAX && table[row] != pool->view.ops)
		row++;
	return row < POOL_ROWS_MAX ? row + 1 : 0;
}
