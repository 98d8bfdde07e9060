# Programs that `make bench` times, or swaps the pools of.

BENCH := $(BUILD)/bench/alloc_pairs $(BUILD)/tests/programs/churn

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(BUILD)/sim/libcudart.so.13
	$(call SAY,link  )
	$(Q)$(CC) $(LDFLAGS) $< -L$(BUILD)/sim -lcudart -o $@
