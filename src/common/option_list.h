/* Every option, a row each. This is the master copy: `mnm run --help`, the
 * table of docs/options.md and the man page are checked against it.
 *
 * OPTION(field, type, when, default, range, help)
 *
 * The environment variable is MNM_ and the field in capitals; `mnm run --set
 * field=value` sets it. The types are those of enum option_type in option.h;
 * struct config has a field for each row. `when` is LIVE if `mnm set` can
 * change the option while the program runs; live_FIELD() in
 * src/mem/live_options.c puts it into effect then and at the start. START if
 * not. */
#ifndef MNM_OPTION_LIST_H
#define MNM_OPTION_LIST_H

/* clang-format off */
#define OPTION_LIST \
OPTION(pool, POOLS, START, "page_unit_pool", \
	"NAME or NAME@BACKING, DEVICE:NAME or host:NAME, comma-separated", \
	"pool that serves allocations: for all, for a device, for pinned memory") \
OPTION(pool_plugins, PLUGINS, START, "", \
	"absolute paths, colon-separated", \
	"shared objects that bring further pools, see `mnm pools`") \
OPTION(page_size, PAGE, START, "4096", "power of two, 512 to 2M", \
	"page that pools round requests up to, bytes") \
OPTION(size_classes, CLASSES, START, "linear", \
	"linear, or a power of two, 1 to 64", \
	"sizes of page_unit_pool: each page, or so many between powers of two") \
OPTION(round_cutoff, CUTOFF, START, "24", "20 to 34", \
	"round_pool: powers of two up to 2^N bytes, multiples of that above") \
OPTION(headroom, PERCENT, START, "5", "percent, 0 to 100", \
	"naive_pool, round_pool: idle blocks go back before less is free") \
OPTION(vmm_spare, PERCENT, START, "3", "percent, 0 to 100", \
	"vmm_pool: reserved beyond the live peak; up to 7 more if pages move often") \
OPTION(garbage_threshold, PERCENT, LIVE, "0", "percent, 0 to 100", \
	"best_fit_pool: reserved beyond this, old free segments go back; 0 = off") \
OPTION(iteration, ITERATION, START, "", \
	"nvtx:REGEX, a POSIX extended regular expression", \
	"tstack_pool: NVTX ranges with a name that matches begin iterations") \
OPTION(plan, TEXT, START, "", "path, %d = device", \
	"tstack_pool: begin with the plan in that file, see `mnm plan --save`") \
OPTION(plan_thread, FLAG, START, "1", "0 or 1", \
	"tstack_pool: 0: plans are made in a request, not in a thread; for tests") \
OPTION(fence, FENCE, LIVE, "fence", "fence, sync, none", \
	"what makes reuse safe: device-side events, a wait in each free, nothing") \
OPTION(quarantine, SIZE_OR_AUTO, LIVE, "auto", "bytes (K, M, G), or auto", \
	"freed bytes that wait for one fence [5 % of the device, 512M at most]") \
OPTION(thread_cache, SIZE, START, "64M", "bytes (K, M, G), 0 = none", \
	"idle bytes that each thread keeps for itself if several share a pool") \
OPTION(pool_limit, SIZE, LIVE, "0", "bytes (K, M, G), 0 = none", \
	"soft limit of reserved bytes per device: idle blocks go back first") \
OPTION(hard_limit, SIZE, LIVE, "0", "bytes (K, M, G), 0 = none", \
	"hard limit of bytes per device, pooled or not: past it, out of memory") \
OPTION(oversubscribe, SIZE_OR_WORD, LIVE, "off", \
	"off, auto, or bytes (K, M, G)", \
	"bytes of the host's memory for a full device; auto: half of RAM in all") \
OPTION(idle_limit, IDLE, LIVE, "auto", "auto, off, bytes, or N% of live peak", \
	"idle bytes per device; auto: as much as has paid off, off: no limit") \
OPTION(host_limit, SIZE_OR_AUTO, LIVE, "auto", "bytes (K, M, G), or auto", \
	"soft limit of pinned bytes [25 % of RAM; RLIMIT_MEMLOCK of idle ones]") \
OPTION(host_idle, TIME, START, "60", "whole seconds, 0 = never", \
	"idle pinned memory goes back after this long without a request") \
OPTION(device_idle, TIME, START, "60", "whole seconds, 0 = never", \
	"a device's idle memory goes back this long after its last request") \
OPTION(meminfo, INFO, START, "pool", "pool, real", \
	"cudaMemGetInfo: pool: what is idle counts as free, real: CUDA's answer") \
OPTION(stream_ordered, FLAG, START, "1", "0 or 1", \
	"serve cudaMallocAsync as well; 0: CUDA's own pools do") \
OPTION(socket_dir, PATH, START, "", "absolute path", \
	"folder of the control sockets [$XDG_RUNTIME_DIR/mnm or /tmp/mnm-UID]") \
OPTION(stat_file, TEXT, START, "", "path, %p = pid", \
	"write the statistics there, as JSON, when the program exits") \
OPTION(record, TEXT, START, "", "path, %p = pid, %h = host, %d = device", \
	"record each request and free there from the start, see `mnm record`") \
OPTION(record_size, FILE_SIZE, START, "1G", "bytes (K, M, G), 1M and more", \
	"bytes of a recording; past that, the newest are kept") \
OPTION(record_stacks, SIZE, LIVE, "0", "bytes (K, M, G), 0 = none", \
	"record the stack of a request once in so many bytes; 1: of each") \
OPTION(postmortem, TEXT, START, "auto", \
	"auto, off, or path, %p = pid, %h = host", \
	"what there was as memory ran out; auto: beside the sockets") \
OPTION(log, LEVEL, START, "warn", "none, error, warn, info, debug", \
	"what is logged on stderr: info: start, orders, end; debug: every request") \
OPTION(check_pools, FLAG, START, "0", "0 or 1", \
	"1: check what pools answer, as that of plug-ins always is; for tests") \
OPTION(force, FLAG, START, "0", "0 or 1", \
	"1: allow what corrupts memory, such as fence=none; for tests") \
OPTION(disable, FLAG, START, "0", "0 or 1", \
	"1: stay inert, hand every call to CUDA")
/* clang-format on */

#endif
