/* The network: three dense layers, trained by gradient descent with momentum.
 * Weights exist as long as the program runs. What a step needs besides is
 * allocated and freed in that step. */
#ifndef TRAIN_DIGITS_MODEL_H
#define TRAIN_DIGITS_MODEL_H

#include <cuda_runtime.h>

#include "train_digits_random.h"

enum { MODEL_LAYERS = 3 };

struct layer {
	int in, out;
	float *w, *b;                   /* in x out, and out */
	float *w_velocity, *b_velocity; /* the same sizes */
};

struct model {
	struct layer layers[MODEL_LAYERS];
	cudaStream_t stream; /* all of the model's work */
};

/* A batch on the device. */
struct batch {
	unsigned char *pixels, *labels;
	int rows;
};

void model_open(struct model *model, cudaStream_t stream,
		struct random *random);
void model_close(struct model *model);

/* Queues one training step. *loss on the device gets its mean loss. */
void model_step(struct model *model, const struct batch *batch, float *loss);

/* Queues the comparison of the model's answers with the labels. hits on the
 * device gets one byte for each row: 1 if they agree. */
void model_compare(struct model *model, const struct batch *batch,
		   unsigned char *hits);

#endif
