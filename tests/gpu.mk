# Programs of scripts/gpu-check, for a GPU and for the simulated device.

GPU_PROGRAMS := $(addprefix $(BUILD)/tests/gpu/,reuse reuse_per_thread \
	prices waits)
GPU_KERNELS  := $(addprefix $(BUILD)/tests/gpu/,reuse.kernels.so \
	reuse_per_thread.kernels.so prices.kernels.so waits.kernels.so)

CHECK += $(GPU_PROGRAMS) $(GPU_KERNELS)

$(BUILD)/tests/gpu/reuse $(BUILD)/tests/gpu/reuse_per_thread: \
$(BUILD)/tests/gpu/%: $(BUILD)/obj/tests/gpu/%.cu.o $(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $(filter %.o,$^) -L$(BUILD)/sim -lcuda -o $@

$(BUILD)/obj/tests/gpu/reuse_per_thread.cu.o: tests/gpu/reuse.cu
	$(call SAY,nvcc  )
	$(Q)$(NVCC_BUILD) --default-stream per-thread -MMD -MP -MF $(@:.o=.d) \
		-MT $@ -c $< -o $@

$(BUILD)/tests/gpu/reuse_per_thread.kernels.so: \
		$(BUILD)/tests/gpu/reuse.kernels.so
	@cp $< $@

$(BUILD)/tests/gpu/waits: $(BUILD)/obj/tests/gpu/waits_questions.o
$(BUILD)/tests/gpu/prices: $(BUILD)/obj/tests/gpu/prices_pages.o
$(BUILD)/tests/gpu/prices $(BUILD)/tests/gpu/waits: $(BUILD)/tests/gpu/%: \
		$(BUILD)/obj/tests/gpu/%.o $(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -o $@
