# The example trainer, its kernels for the CPU, and its images.

ALL += $(BUILD)/examples/train_digits \
	$(BUILD)/examples/train_digits.kernels.so \
	$(BUILD)/examples/data/digits.csv

$(BUILD)/examples/train_digits: \
	$(BUILD)/obj/examples/train_digits_model.cu.o \
	$(BUILD)/obj/examples/train_digits_data.o \
	$(BUILD)/obj/examples/train_digits_options.o

$(BUILD)/examples/data/%: examples/data/%
	@mkdir -p $(@D)
	@cp $< $@
