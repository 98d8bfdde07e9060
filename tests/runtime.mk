# Claims about the CUDA runtime. They are run on the simulated runtime in its
# shared and its static form, and compiled for the per-thread default stream.

RUNTIME_CLAIMS := runtime_memory_claims runtime_array_claims \
	runtime_pool_claims runtime_work_claims runtime_graph_claims \
	runtime_variable_claims runtime_function_claims runtime_node_claims \
	runtime_texture_claims \
	runtime_static_claims runtime_per_thread_claims
RUNTIME_CLAIMS := $(RUNTIME_CLAIMS:%=$(BUILD)/tests/programs/%)
WORK_CLAIMS    := $(filter-out %_memory_claims %_array_claims %_pool_claims, \
	$(RUNTIME_CLAIMS))

CHECK += $(RUNTIME_CLAIMS) $(WORK_CLAIMS:=.kernels.so)

$(RUNTIME_CLAIMS): NVCC_LIBS := -lcheck_pic -Xlinker -l:libsubunit.a

$(BUILD)/tests/programs/runtime_static_claims: NVCC_CUDART := none
$(BUILD)/tests/programs/runtime_static_claims: \
		$(BUILD)/obj/tests/programs/runtime_work_claims.cu.o \
		$(BUILD)/sim/cudart_static.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ $(NVCC_LIBS) -o $@

PER_THREAD := $(BUILD)/obj/tests/programs/runtime_per_thread_claims.cu.o
$(PER_THREAD): tests/programs/runtime_work_claims.cu
	$(call SAY,nvcc  )
	$(Q)$(NVCC_BUILD) --default-stream per-thread -MMD -MP -MF $(@:.o=.d) \
		-MT $@ -c $< -o $@

$(BUILD)/tests/programs/runtime_static_claims.kernels.so \
$(BUILD)/tests/programs/runtime_per_thread_claims.kernels.so: \
		$(BUILD)/tests/programs/runtime_work_claims.kernels.so
	@cp $< $@

$(BUILD)/tests/programs/runtime_node_claims.kernels.so: \
		$(BUILD)/tests/programs/runtime_graph_claims.kernels.so
	@cp $< $@
