/* The devices, and the host. */
#include "block/block.h"
#include "context.h"

static struct device devices[DEVICE_ALL] = {
	[0 ... DEVICE_ALL - 1] = {.epoch = MNM_EPOCH_NEVER + 1}};

struct device *device_at(int ordinal)
{
	return &devices[ordinal];
}

int device_ordinal(const struct device *device)
{
	return (int)(device - devices);
}

bool device_is_host(const struct device *device)
{
	return device == &devices[DEVICE_HOST];
}
