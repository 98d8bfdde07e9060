# Programs that `make bench` times.

BENCH := $(BUILD)/bench/alloc_pairs

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(BUILD)/sim/libcudart.so.13
	$(call SAY,link  )
	$(Q)$(CC) $(LDFLAGS) $< -L$(BUILD)/sim -lcudart -o $@
