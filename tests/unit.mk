# Check programs over parts that need no CUDA: tests/unit/NAME_test.c

UNIT_PARTS := $(COMMON_OBJ) $(POOL_OBJ) \
	$(addprefix $(BUILD)/obj/src/,core/block.o core/block_index.o core/buffer_id.o \
	backing/object.o backing/await.o) $(BUILD)/obj/tests/unit/plain_thread.o
CHECK += $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*_test.c))

$(BUILD)/tests/unit/device_test: $(BUILD)/obj/src/core/device.o
$(BUILD)/tests/unit/graph_owner_test: $(BUILD)/obj/src/core/graph_owner.o
$(BUILD)/tests/unit/cache_spans_test: $(BUILD)/obj/src/core/cache_spans.o
$(BUILD)/tests/unit/caches_test: $(addprefix $(BUILD)/obj/src/,\
	core/cache.o core/cache_figures.o core/cache_record.o core/cache_rooms.o \
	core/device.o core/bound.o backing/barrier.o backing/syscall_filter.o)
$(BUILD)/tests/unit/cache_raid_test: $(addprefix $(BUILD)/obj/src/,\
	core/cache.o core/cache_blocks.o core/cache_figures.o core/cache_raids.o \
	core/cache_record.o core/cache_rooms.o core/cache_spans.o core/device.o \
	core/bound.o backing/barrier.o \
	backing/syscall_filter.o)
$(BUILD)/tests/unit/calls_test: $(addprefix $(BUILD)/obj/src/,\
	core/calls.o backing/barrier.o backing/syscall_filter.o)
$(BUILD)/tests/unit/giver_test: $(addprefix $(BUILD)/obj/src/,\
	core/giver.o core/calls.o backing/barrier.o backing/syscall_filter.o)
$(BUILD)/tests/unit/bound_test: $(addprefix $(BUILD)/obj/src/core/,\
	bound.o device.o)

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(UNIT_PARTS)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -l:libjansson.a $$(pkg-config --libs check) -o $@
