# The small programs that show what mnm can be used under.
# docs/compatibility.md lists them, and kernels.mk has the rules. NAME_nvidia
# has NVIDIA's own static runtime and runs only on a GPU. sort_scan_host is
# sort_scan with Thrust's host back end.

ROUND_PROGRAMS := thread_streams graph_relaunch two_processes buffers
ROUND_KERNELS  := $(ROUND_PROGRAMS:%=$(BUILD)/examples/%.kernels.so) \
	$(BUILD)/examples/driver_loop.kernels.so
ROUND_NVIDIA   := $(patsubst %,$(BUILD)/examples/%_nvidia,$(ROUND_PROGRAMS) \
	sort_scan)
SORT_SCAN      := $(BUILD)/obj/examples/sort_scan.cu.o

CHECK += $(ROUND_PROGRAMS:%=$(BUILD)/examples/%) $(ROUND_KERNELS) \
	$(ROUND_NVIDIA) $(addprefix $(BUILD)/examples/,driver_loop \
	round_kernels.fatbin round.kernels.so sort_scan sort_scan_host \
	plugins/octave_pool.so plugins/wide_pool.so api/buffers api/resource)

$(ROUND_KERNELS): $(BUILD)/examples/round.kernels.so
	@cp $< $@

$(ROUND_NVIDIA): NVCC_CUDART := static
$(ROUND_NVIDIA): $(BUILD)/examples/%_nvidia: $(BUILD)/obj/examples/%.cu.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@

$(BUILD)/obj/examples/thread_streams.cu.o: examples/thread_streams.cu
	$(call SAY,nvcc  )
	$(Q)$(NVCC_BUILD) --default-stream per-thread -MMD -MP -MF $(@:.o=.d) \
		-MT $@ -c $< -o $@

# Thrust's headers bind a null reference (thrust/detail/reference.h).
$(BUILD)/examples/sort_scan_host: examples/sort_scan.cu \
		$(BUILD)/sim/libcudart.so.13
	$(call SAY,c++   )
	@mkdir -p $(BUILD)/obj/examples
	$(Q)$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(SANFLAGS) \
		-fno-sanitize=null -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP \
		-isystem $(CUDA_HOME)/include -isystem $(CUDA_HOME)/include/cccl \
		-MMD -MP -MF $(BUILD)/obj/examples/$(@F).d -MT $@ \
		-x c++ $< -L$(BUILD)/sim -lcudart -o $@

$(BUILD)/examples/round_kernels.fatbin: examples/round_kernels.cuh
	$(call SAY,nvcc  )
	@mkdir -p $(BUILD)/obj/examples
	$(Q)$(NVCC) -std=c++17 $(GENCODE) -MMD -MP \
		-MF $(BUILD)/obj/examples/$(@F).d -MT $@ -x cu -fatbin $< -o $@

$(BUILD)/examples/driver_loop: examples/driver_loop.cpp $(BUILD)/sim/libcuda.so
	$(call SAY,c++   )
	@mkdir -p $(BUILD)/obj/examples
	$(Q)$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(SANFLAGS) \
		-isystem $(CUDA_HOME)/include \
		-MMD -MP -MF $(BUILD)/obj/examples/$(@F).d -MT $@ \
		$< -L$(BUILD)/sim -lcuda -o $@

$(BUILD)/examples/plugins/octave_pool.so: examples/plugins/octave_pool.c
	$(call SAY,cc    )
	@mkdir -p $(@D) $(BUILD)/obj/examples
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -Iinclude \
		-MMD -MP -MF $(BUILD)/obj/examples/$(@F).d -MT $@ \
		-shared $< -o $@

$(BUILD)/examples/plugins/wide_pool.so: examples/plugins/wide_pool.cpp
	$(call SAY,c++   )
	@mkdir -p $(@D) $(BUILD)/obj/examples
	$(Q)$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror -fPIC -Iinclude \
		-MMD -MP -MF $(BUILD)/obj/examples/$(@F).d -MT $@ \
		-shared $< -o $@

$(BUILD)/examples/api/buffers: examples/api/buffers.c $(BUILD)/sim/libcuda.so
	$(call SAY,cc    )
	@mkdir -p $(@D) $(BUILD)/obj/examples
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Werror $(SANFLAGS) -Iinclude \
		-isystem $(CUDA_HOME)/include \
		-MMD -MP -MF $(BUILD)/obj/examples/$(@F).d -MT $@ \
		$< -L$(BUILD)/sim -lcuda -ldl -o $@

$(BUILD)/examples/api/resource: examples/api/resource.cpp \
		$(BUILD)/sim/libcudart.so.13
	$(call SAY,c++   )
	@mkdir -p $(@D) $(BUILD)/obj/examples
	$(Q)$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(SANFLAGS) -Iinclude \
		-isystem $(CUDA_HOME)/include -isystem $(CUDA_HOME)/include/cccl \
		-MMD -MP -MF $(BUILD)/obj/examples/$(@F).d -MT $@ \
		$< -L$(BUILD)/sim -lcudart -ldl -o $@
