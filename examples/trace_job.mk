# trace_job is a C program with a .cu file of its own, so its parts are named
# here. kernels.mk has the rules.
TRACE_JOB := $(TRACE_OBJ) $(addprefix $(BUILD)/obj/examples/,trace_job.o \
	trace_options.o trace_times.o trace_second.o trace_job_kernels.cu.o)

ALL += $(BUILD)/examples/trace_job $(BUILD)/examples/trace_job.kernels.so

$(BUILD)/examples/trace_job: $(TRACE_JOB)
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@ -lzstd
