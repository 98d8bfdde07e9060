# Programs with kernels: examples/x.cu, tests/programs/x.cu, ...
#   $(BUILD)/DIR/x             the program, by nvcc, as a user would build it
#   $(BUILD)/DIR/x.kernels.so  its kernels for the CPU, from DIR/x_kernels.cuh
# A makefile that wants them only names both in ALL or CHECK. If a program has
# several sources, its other objects are prerequisites. NVCC_LIBS names its
# libraries. NVCC_CUDART is the form of the runtime: shared, or none where
# $(BUILD)/sim/cudart_static.o is linked.

# The oldest architecture that the toolkit knows. A driver compiles the PTX for
# newer ones.
GENCODE    := -gencode arch=compute_75,code=[sm_75,compute_75]
NVCC_HOST  := -ccbin $(CXX) -Xcompiler -Wall -Xcompiler -Wextra \
	$(foreach s,$(subst $(comma), ,$(SAN)),-Xcompiler -fsanitize=$(s))
NVCC_BUILD  = $(NVCC) -std=c++17 -O2 -g $(GENCODE) $(NVCC_HOST)
NVCC_CUDART = shared
NVCC_LINK   = $(NVCC_BUILD) -cudart $(NVCC_CUDART)
NVCC_LIBS   =
SIM_CXX    := $(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror -fPIC \
	-fno-math-errno -ffp-contract=off -isystem $(CUDA_HOME)/include

$(BUILD)/obj/%.cu.o: %.cu
	$(call SAY,nvcc  )
	$(Q)$(NVCC_BUILD) -MMD -MP -MF $(@:.o=.d) -MT $@ -c $< -o $@

$(BUILD)/%: $(BUILD)/obj/%.cu.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ $(NVCC_LIBS) -o $@

$(BUILD)/%.kernels.so: %_kernels.cuh src/sim/kernel.hpp \
		src/sim/kernel_texture.hpp src/sim/kernel_texture.h \
		src/sim/kernel_table.h
	$(call SAY,c++   )
	@mkdir -p $(dir $(BUILD)/obj/$*)
	$(Q)$(SIM_CXX) $(SANFLAGS) -MMD -MP -MF $(BUILD)/obj/$*.kernels.d -MT $@ \
		-shared -Wl,-Bsymbolic -include src/sim/kernel.hpp \
		-x c++ $< -o $@
