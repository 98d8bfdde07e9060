#include "pool.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"

#define POOL(name, summary) extern const struct mnm_pool_ops name;
POOL_LIST
#undef POOL

static const struct mnm_pool_ops *table[] = {
#define POOL(name, summary) &name,
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
