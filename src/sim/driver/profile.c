#include "profile.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct profile_key {
	const char *name;
	size_t offset;
	bool cost; /* 0 if MNM_SIM_CLOCK=zero or the device is ideal */
};

#define FACT(field) \
	{ \
#field, offsetof(struct profile, field), false \
	}
#define COST(field) \
	{ \
#field, offsetof(struct profile, field), true \
	}

static const struct profile_key keys[] = {
	FACT(capacity),
	FACT(compute_major),
	FACT(compute_minor),
	FACT(multiprocessors),
	FACT(threads_per_multiprocessor),
	FACT(clock_khz),
	FACT(memory_clock_khz),
	FACT(bus_bits),
	FACT(l2_bytes),
	FACT(shared_bytes),
	FACT(pinned_most),
	FACT(queue_most),
	FACT(managed_fixed),
	FACT(ideal),
	COST(call_ns),
	COST(context_ns),
	COST(alloc_ns),
	COST(alloc_ns_per_mib),
	COST(free_ns),
	COST(free_ns_per_mib),
	COST(small_alloc_ns),
	COST(small_free_ns),
	COST(create_ns),
	COST(create_ns_per_mib),
	COST(release_ns),
	COST(release_ns_per_mib),
	COST(pool_ns),
	COST(info_ns),
	COST(map_ns),
	COST(unmap_ns),
	COST(access_ns),
	COST(host_alloc_ns),
	COST(host_alloc_ns_per_mib),
	COST(host_free_ns),
	COST(submit_ns),
	COST(event_ns),
	COST(kernel_ns),
	COST(kernel_ps_per_thread),
	COST(copy_ns),
	COST(fill_ns),
	COST(pinned_rate),
	COST(pageable_rate),
	COST(device_rate),
	COST(peer_rate),
	COST(callback_ns),
};

enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]) };

static uint64_t *field_of(struct profile *profile, const struct profile_key *k)
{
	return (uint64_t *)((char *)profile + k->offset);
}

/* Reads a decimal number with an optional K, M or G (powers of 1024). */
static bool bytes_read(const char *text, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	unsigned shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno)
		return false;
	if (*end) {
		suffix = strchr(suffixes, *end);
		if (!suffix || end[1])
			return false;
		shift = 10 * (suffix - suffixes + 1);
	}
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

static bool line_read(struct profile *profile, const char *key,
		      const char *value)
{
	if (!strcmp(key, "name")) {
		snprintf(profile->name, sizeof(profile->name), "%s", value);
		return true;
	}
	for (unsigned i = 0; i < KEY_COUNT; i++)
		if (!strcmp(key, keys[i].name))
			return bytes_read(value, field_of(profile, &keys[i]));
	return false;
}

static CUresult profile_read(struct profile *profile, const char *path)
{
	FILE *in = fopen(path, "re");
	char line[512], key[64], value[64];
	CUresult res = CUDA_SUCCESS;
	unsigned number = 0;

	if (!in) {
		fprintf(stderr,
			"mnm-sim: MNM_SIM: no profile %s: %m (t4, a100, h200, "
			"ideal, a path, or bytes such as 512M)\n",
			path);
		return CUDA_ERROR_NO_DEVICE;
	}
	while (!res && fgets(line, sizeof(line), in)) {
		number++;
		line[strcspn(line, "#\n")] = '\0';
		if (sscanf(line, " %63s", key) != 1)
			continue;
		if (sscanf(line, " %63s %63[^\t]", key, value) == 2) {
			size_t len = strlen(value);

			while (len && value[len - 1] == ' ')
				value[--len] = '\0';
			if (line_read(profile, key, value))
				continue;
		}
		fprintf(stderr, "mnm-sim: %s:%u: wrong line for %s\n", path,
			number, key);
		res = CUDA_ERROR_NO_DEVICE;
	}
	fclose(in);
	return res;
}

/* Reads the profile of that name beside this library. */
static CUresult profile_read_named(struct profile *profile, const char *name)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;
	int dir = 1;

	self.dli_fname = ".";
	if (!dladdr((void *)profile_open, &self))
		return CUDA_ERROR_NO_DEVICE;
	slash = strrchr(self.dli_fname, '/');
	if (slash)
		dir = slash - self.dli_fname;
	else
		self.dli_fname = ".";
	if (snprintf(path, sizeof(path), "%.*s/profiles/%s.profile", dir,
		     self.dli_fname, name) >= (int)sizeof(path))
		return CUDA_ERROR_NO_DEVICE;
	return profile_read(profile, path);
}

static CUresult profile_check(const struct profile *profile)
{
	if (profile->capacity >= 2 << 20 && profile->multiprocessors)
		return CUDA_SUCCESS;
	fprintf(stderr, "mnm-sim: a device needs a capacity of 2M or more and "
			"multiprocessors\n");
	return CUDA_ERROR_NO_DEVICE;
}

/* Reads a variable, if it is set. Returns false if it is wrong. */
static bool limit_read(const char *variable, const char *wanted,
		       uint64_t *limit)
{
	const char *text = getenv(variable);

	if (!text || !*text || bytes_read(text, limit))
		return true;
	fprintf(stderr, "mnm-sim: %s: \"%s\" is no number of %s\n", variable,
		text, wanted);
	return false;
}

CUresult profile_open(struct profile *profile)
{
	const char *which = getenv("MNM_SIM");
	const char *clock = getenv("MNM_SIM_CLOCK");
	uint64_t bytes = 0;
	bool capacity;
	CUresult res;

	if (!which || !*which)
		which = "t4";
	capacity = bytes_read(which, &bytes);
	if (capacity)
		res = profile_read_named(profile, "t4");
	else if (strchr(which, '/'))
		res = profile_read(profile, which);
	else
		res = profile_read_named(profile, which);
	if (res)
		return res;
	if (capacity)
		profile->capacity = bytes;
	if (!limit_read("MNM_SIM_PINNED", "bytes, such as 512M",
			&profile->pinned_most) ||
	    !limit_read("MNM_SIM_QUEUE", "operations, such as 1024",
			&profile->queue_most) ||
	    !limit_read("MNM_SIM_MANAGED_FIXED", "bits, 0 or 1",
			&profile->managed_fixed))
		return CUDA_ERROR_NO_DEVICE;
	if (clock && *clock && strcmp(clock, "zero")) {
		fprintf(stderr, "mnm-sim: MNM_SIM_CLOCK: \"%s\" is not zero\n",
			clock);
		return CUDA_ERROR_NO_DEVICE;
	}
	if (profile->ideal || (clock && *clock))
		for (unsigned i = 0; i < KEY_COUNT; i++)
			if (keys[i].cost)
				*field_of(profile, &keys[i]) = 0;
	return profile_check(profile);
}
