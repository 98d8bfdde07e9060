# What the simulated device's calls cost the host, see scripts/bench-calls.

BENCH += $(BUILD)/bench/sim_calls

$(BUILD)/bench/sim_calls: $(BUILD)/obj/tests/bench/sim_calls.o \
		$(BUILD)/sim/libcudart.so.13 $(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $< -L$(BUILD)/sim -lcudart \
		-lcuda -o $@
