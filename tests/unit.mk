# Check programs over parts that need no CUDA: tests/unit/NAME_test.c

UNIT_PARTS := $(COMMON_OBJ) $(POOL_OBJ) \
	$(addprefix $(BUILD)/obj/src/,block/block.o block/block_index.o block/buffer_id.o \
	preload/elf_symbol.o preload/await.o record/ring.o record/clock.o record/texts.o) $(BUILD)/obj/tests/unit/plain_thread.o \
	$(BUILD)/obj/tests/unit/no_tool.o
CHECK += $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*_test.c))

$(BUILD)/tests/unit/device_test $(BUILD)/tests/unit/thread_ordered_test: \
	$(addprefix $(BUILD)/obj/src/,stats/counter.o stats/thread_stats.o stats/thread_ordered.o context/device.o gate/gate.o)
$(BUILD)/tests/unit/graph_owner_test: $(BUILD)/obj/src/heap/graph_owner.o
$(BUILD)/tests/unit/cache_spans_test: $(BUILD)/obj/src/tcache/tcache_spans.o
$(BUILD)/tests/unit/cache_roomy_test: $(addprefix $(BUILD)/obj/src/,\
	tcache/tcache_spans.o tcache/tcache_roomy.o tcache/tcache_steps.o)
$(BUILD)/tests/unit/fast_stream_test: $(addprefix $(BUILD)/obj/src/,\
	tcache/fast_stream.o tcache/tcache_spans.o tcache/tcache_roomy.o \
	tcache/tcache_steps.o)
$(BUILD)/tests/unit/caches_test: $(addprefix $(BUILD)/obj/src/,\
	tcache/tcache.o tcache/tcache_record.o tcache/tcache_rooms.o \
	tcache/tcache_course.o \
	stats/counter.o stats/thread_stats.o stats/thread_ordered.o context/device.o gate/gate.o heap/idle_limit.o heap/idle_places.o preload/barrier.o preload/syscall_filter.o)
$(BUILD)/tests/unit/caches_test: LDFLAGS += -Wl,--wrap=pthread_mutex_lock
$(BUILD)/tests/unit/cache_raid_test: $(addprefix $(BUILD)/obj/src/,\
	tcache/tcache.o tcache/tcache_blocks.o tcache/tcache_raids.o \
	tcache/tcache_record.o tcache/tcache_rooms.o tcache/tcache_roomy.o \
	tcache/tcache_spans.o tcache/tcache_course.o tcache/tcache_steps.o \
	stats/counter.o stats/mempool_stats.o stats/thread_stats.o stats/thread_ordered.o context/device.o gate/gate.o \
	heap/idle_limit.o heap/idle_places.o preload/barrier.o \
	preload/syscall_filter.o)
$(BUILD)/tests/unit/calls_test: $(addprefix $(BUILD)/obj/src/,\
	order/calls.o preload/barrier.o preload/syscall_filter.o)
$(BUILD)/tests/unit/capture_work_test: $(BUILD)/obj/src/order/capture_work.o
$(BUILD)/tests/unit/giver_test: $(addprefix $(BUILD)/obj/src/,\
	heap/giver.o heap/rest.o order/calls.o preload/barrier.o preload/syscall_filter.o)
$(BUILD)/tests/unit/headroom_test: $(BUILD)/obj/src/heap/headroom.o
$(BUILD)/tests/unit/proof_ways_test: $(BUILD)/obj/tests/proof/ways.o
$(BUILD)/tests/unit/owed_test: $(addprefix $(BUILD)/obj/src/,\
	heap/owed.o heap/rest.o order/calls.o preload/barrier.o preload/syscall_filter.o)
$(BUILD)/tests/unit/bound_test: $(addprefix $(BUILD)/obj/src/,\
	heap/idle_limit.o heap/idle_places.o stats/counter.o stats/thread_stats.o stats/thread_ordered.o context/device.o gate/gate.o)
$(BUILD)/tests/unit/swap_test: $(addprefix $(BUILD)/obj/src/,\
	heap/swap.o heap/noted.o heap/pools.o heap/pools_forget.o heap/pool_record.o heap/placed.o \
	heap/planned.o heap/whole.o heap/region.o heap/starts.o stats/counter.o stats/mempool_stats.o stats/thread_stats.o stats/thread_ordered.o \
	context/context_use.o context/device.o gate/gate.o)
CHECKED_OBJ := $(addprefix $(BUILD)/obj/src/checked/,checked_pool.o \
	checked_blocks.o checked_places.o inner.o call.o call_signal.o call_watch.o held_blocks.o held_bytes.o)
$(BUILD)/tests/unit/swap_test: $(CHECKED_OBJ)
CHECKED_TESTS := $(addprefix $(BUILD)/tests/unit/checked_,blocks_test places_test calls_test)
$(CHECKED_TESTS): $(CHECKED_OBJ)
$(CHECKED_TESTS): \
	LDFLAGS += -Wl,--wrap=log_line
$(BUILD)/tests/unit/swap_test: LDFLAGS += -Wl,--wrap=calloc

# It has no stand-in for src/preload/thread.c.
$(BUILD)/tests/unit/thread_test: $(addprefix $(BUILD)/obj/,tests/unit/thread_test.o \
		src/preload/thread.o src/common/file_stat.o)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ $$(pkg-config --libs check) -ldl -o $@

$(BUILD)/tests/unit/tstack_test: $(BUILD)/obj/tests/unit/tstack_model.o
PLAN_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/plan_*_test.c))
$(PLAN_TESTS): $(BUILD)/obj/tests/unit/plan_problems.o \
	$(BUILD)/obj/tests/bench/tilings.o

RECORD_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/record_*_test.c))
$(RECORD_TESTS): $(RECORD_OBJ) $(READER_OBJ) \
	$(BUILD)/obj/src/preload/syscall_filter.o
$(RECORD_TESTS): UNIT_LIBS := -l:libzstd.a

PTX_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/ptx_*_test.c))
$(PTX_TESTS): $(SIM_PTX_OBJ)
$(PTX_TESTS): UNIT_LIBS := -lm
# They count the threads that are made, and refuse some.
$(addprefix $(BUILD)/tests/unit/ptx_,threads_test apart_test): LDFLAGS += -Wl,--wrap=pthread_create
# Some have kernels in a source of their own. Products are rounded, as the host
# does it without fused instructions.
PTX_SOURCES := $(patsubst tests/unit/%.cu,%,$(wildcard tests/unit/ptx_*.cu))
$(PTX_SOURCES:%=$(BUILD)/obj/tests/unit/%_test.o): \
	$(BUILD)/obj/tests/unit/%_test.o: $(BUILD)/tests/unit/%.ptx
$(PTX_SOURCES:%=$(BUILD)/obj/tests/unit/%_test.o): CFLAGS += \
	-ffp-contract=off \
	-DPTX_KERNELS=\"$(@:$(BUILD)/obj/%_test.o=$(BUILD)/%.ptx)\"
$(BUILD)/tests/unit/%.ptx: tests/unit/%.cu tests/unit/ptx_sources.h
	$(call SAY,nvcc  )
	$(Q)$(NVCC) -ptx -arch=sm_80 -std=c++17 -fmad=false -ccbin $(CXX) $< -o $@

# What mnm top shows, without a terminal.
TOP_TESTS := $(addprefix $(BUILD)/tests/unit/top_,row_test table_test)
$(TOP_TESTS): $(addprefix $(BUILD)/obj/src/cli/,descriptors.o failure.o \
	field.o folder.o job.o processes.o top/column.o top/row.o top/table.o)

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(UNIT_PARTS)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -l:libjansson.a $(UNIT_LIBS) $$(pkg-config --libs check) -o $@
