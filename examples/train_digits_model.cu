#include "train_digits_model.h"

#include <math.h>

#include "cuda_check.h"
#include "train_digits_data.h"
#include "train_digits_kernels.cuh"

static const int widths[MODEL_LAYERS + 1] = {DIGIT_PIXELS, 128, 64,
					     DIGIT_CLASSES};
static const float rate = 0.02f, momentum = 0.9f;

/* What a pass keeps: the input of each layer, and the last layer's output. */
struct pass {
	float *values[MODEL_LAYERS + 1];
};

static float *floats_alloc(size_t count)
{
	float *floats;

	CUDA(cudaMalloc(&floats, count * sizeof(float)));
	return floats;
}

static int blocks(int threads)
{
	return (threads + 127) / 128;
}

/* Launches a kernel with so many threads on the model's stream. */
#define LAUNCH(kernel, model, threads, ...) \
	do { \
		kernel<<<blocks(threads), 128, 0, (model)->stream>>>( \
			__VA_ARGS__); \
		CUDA(cudaGetLastError()); \
	} while (0)

static float *floats_upload(const float *from, size_t count)
{
	float *floats = floats_alloc(count);

	CUDA(cudaMemcpy(floats, from, count * sizeof(float),
			cudaMemcpyHostToDevice));
	return floats;
}

static void layer_open(struct layer *layer, struct random *random)
{
	size_t count = (size_t)layer->in * layer->out;
	float *host = (float *)calloc(count, sizeof(float));
	float spread = sqrtf(6.0f / layer->in);

	if (!host) {
		fprintf(stderr, "train_digits: out of memory\n");
		exit(1);
	}
	layer->w_velocity = floats_upload(host, count);
	layer->b_velocity = floats_upload(host, layer->out);
	layer->b = floats_upload(host, layer->out);
	for (size_t i = 0; i < count; i++)
		host[i] = spread * random_unit(random);
	layer->w = floats_upload(host, count);
	free(host);
}

void model_open(struct model *model, cudaStream_t stream, struct random *random)
{
	model->stream = stream;
	for (int i = 0; i < MODEL_LAYERS; i++) {
		model->layers[i].in = widths[i];
		model->layers[i].out = widths[i + 1];
		layer_open(&model->layers[i], random);
	}
	/* Copies from pageable memory may return before they arrive, and the
	 * model's stream does not wait for the legacy stream. */
	CUDA(cudaDeviceSynchronize());
}

void model_close(struct model *model)
{
	for (int i = 0; i < MODEL_LAYERS; i++) {
		struct layer *layer = &model->layers[i];

		CUDA(cudaFree(layer->w));
		CUDA(cudaFree(layer->b));
		CUDA(cudaFree(layer->w_velocity));
		CUDA(cudaFree(layer->b_velocity));
	}
}

static void pass_forward(struct model *model, const struct batch *batch,
			 struct pass *pass)
{
	int rows = batch->rows, count = rows * DIGIT_PIXELS;

	pass->values[0] = floats_alloc(count);
	LAUNCH(scale_pixels, model, count, batch->pixels, pass->values[0],
	       count);
	for (int i = 0; i < MODEL_LAYERS; i++) {
		struct layer *layer = &model->layers[i];

		count = rows * layer->out;
		pass->values[i + 1] = floats_alloc(count);
		LAUNCH(dense_forward, model, count, pass->values[i], layer->w,
		       layer->b, pass->values[i + 1], rows, layer->in,
		       layer->out, i + 1 < MODEL_LAYERS);
	}
}

static void pass_close(struct pass *pass)
{
	for (int i = 0; i <= MODEL_LAYERS; i++)
		CUDA(cudaFree(pass->values[i]));
}

static float *loss_gradient(struct model *model, const struct batch *batch,
			    const float *y, float *loss)
{
	int rows = batch->rows;
	float *losses = floats_alloc(rows);
	float *dy = floats_alloc((size_t)rows * DIGIT_CLASSES);

	LAUNCH(softmax_loss, model, rows, y, batch->labels, dy, losses, rows,
	       DIGIT_CLASSES);
	LAUNCH(mean_loss, model, 1, losses, loss, rows);
	CUDA(cudaFree(losses));
	return dy;
}

/* Updates a layer from the gradient of its output. */
static void layer_update(struct model *model, struct layer *layer,
			 const float *x, const float *dy, int rows)
{
	int in = layer->in, out = layer->out;
	float *dw = floats_alloc((size_t)in * out);
	float *db = floats_alloc(out);

	LAUNCH(weight_gradient, model, in * out, x, dy, dw, rows, in, out);
	LAUNCH(bias_gradient, model, out, dy, db, rows, out);
	LAUNCH(momentum_step, model, in * out, layer->w, layer->w_velocity, dw,
	       rate, momentum, in * out);
	LAUNCH(momentum_step, model, out, layer->b, layer->b_velocity, db, rate,
	       momentum, out);
	CUDA(cudaFree(dw));
	CUDA(cudaFree(db));
}

void model_step(struct model *model, const struct batch *batch, float *loss)
{
	struct pass pass;
	float *dy;

	pass_forward(model, batch, &pass);
	dy = loss_gradient(model, batch, pass.values[MODEL_LAYERS], loss);
	for (int i = MODEL_LAYERS - 1; i >= 0; i--) {
		struct layer *layer = &model->layers[i];
		int rows = batch->rows;
		float *dx = NULL;

		if (i > 0) { /* before the update below changes the weights */
			dx = floats_alloc((size_t)rows * layer->in);
			LAUNCH(input_gradient, model, rows * layer->in,
			       pass.values[i], layer->w, dy, dx, rows,
			       layer->in, layer->out);
		}
		layer_update(model, layer, pass.values[i], dy, rows);
		CUDA(cudaFree(dy));
		dy = dx;
	}
	pass_close(&pass);
}

void model_compare(struct model *model, const struct batch *batch,
		   unsigned char *hits)
{
	struct pass pass;

	pass_forward(model, batch, &pass);
	LAUNCH(compare_labels, model, batch->rows, pass.values[MODEL_LAYERS],
	       batch->labels, hits, batch->rows, DIGIT_CLASSES);
	pass_close(&pass);
}
