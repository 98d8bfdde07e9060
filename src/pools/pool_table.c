#include "pool.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"

#define POOL(name, backing, summary) extern const struct pool_ops name;
POOL_LIST
#undef POOL

static const struct pool_ops *const table[] = {
#define POOL(name, backing, summary) &name,
	POOL_LIST
#undef POOL
};

enum { OWN_COUNT = sizeof(table) / sizeof(*table) };

const struct pool_ops *pool_ops_at(int choice)
{
	int row = pool_choice_row(choice);

	return row < OWN_COUNT ? table[row]
			       : (const struct pool_ops *)pool_rows[row].ops;
}
