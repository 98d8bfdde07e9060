/* The command `plan`: hands out the plan that a pool has. */
#include <stdlib.h>

#include "about.h"
#include "common/base64.h"
#include "context/context.h"
#include "heap/planner.h"
#include "pools/tstack_pool.h"
#include "request.h"

/* Why a device, or all of them, have no plan. */
static json_t *plan_missing(struct request *request)
{
	struct tstack_figures figures;
	int pools = 0;

	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_at(i)->used &&
		    (request->device < 0 || request->device == i))
			pools += planner_figures(device_at(i), &figures);
	return fail(request, pools ? "there is no plan yet; mnm stat says what "
				     "the pool does"
				   : "it is not served by tstack_pool, so it "
				     "has no plan");
}

/* Finds the only plan that is meant. Returns its device, or NULL; then
 * request->error is set. */
static struct device *plan_find(struct request *request, unsigned char **bytes,
				size_t *size)
{
	struct device *found = NULL;
	unsigned char *other;
	size_t other_size;

	for (int i = 0; i < DEVICE_ALL; i++) {
		if (!device_at(i)->used ||
		    (request->device >= 0 && request->device != i) ||
		    !planner_file(device_at(i), &other, &other_size))
			continue;
		if (found) {
			free(*bytes);
			free(other);
			fail(request, "several devices have a plan; choose one "
				      "with --device");
			return NULL;
		}
		found = device_at(i);
		*bytes = other;
		*size = other_size;
	}
	if (!found)
		plan_missing(request);
	return found;
}

json_t *plan_run(struct request *request)
{
	unsigned char *bytes;
	struct device *device;
	json_t *answer;
	size_t size;
	char *text;

	device = plan_find(request, &bytes, &size);
	if (!device)
		return NULL;
	text = bytes ? base64_write(bytes, size) : NULL;
	free(bytes);
	if (!text)
		return NULL;
	answer = about_json();
	json_object_set_new(answer, "device", device_name(device));
	json_object_set_new(answer, "file", json_string(text));
	free(text);
	return answer;
}
