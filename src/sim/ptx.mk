# PTX for the simulated driver, and for tests without it.
SIM_PTX_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard src/sim/ptx/*.c))

# What is rounded once in PTX is not rounded twice, and the other way round.
$(SIM_PTX_OBJ): CFLAGS += -ffp-contract=off -fno-math-errno \
	$(if $(filter -O2,$(OPTIMISE)),-O3)

$(SIM_DRIVER): $(SIM_PTX_OBJ)
