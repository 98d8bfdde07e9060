/* The trainer's kernels: one thread an output value, no atomics, so that a
 * run gives the same bits every time. Matrices are row-major. */
#ifndef TRAIN_DIGITS_KERNELS_CUH
#define TRAIN_DIGITS_KERNELS_CUH

__device__ inline int thread_index(void)
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* Pixels 0..16 to values 0..1. */
__global__ void scale_pixels(const unsigned char *pixels, float *x, int count)
{
	int i = thread_index();

	if (i < count)
		x[i] = (float)pixels[i] / 16.0f;
}

/* y[rows][out] = x[rows][in] w[in][out] + b[out], cut off below 0 if relu. */
__global__ void dense_forward(const float *x, const float *w, const float *b,
			      float *y, int rows, int in, int out, int relu)
{
	int i = thread_index();
	int row = i / out, col = i % out;
	float sum;

	if (row >= rows)
		return;
	sum = b[col];
	for (int k = 0; k < in; k++)
		sum += x[row * in + k] * w[k * out + col];
	y[i] = relu && sum < 0.0f ? 0.0f : sum;
}

/* dw[in][out] = x transposed times dy, summed over the batch. */
__global__ void weight_gradient(const float *x, const float *dy, float *dw,
				int rows, int in, int out)
{
	int i = thread_index();
	int row = i / out, col = i % out;
	float sum = 0.0f;

	if (row >= in)
		return;
	for (int k = 0; k < rows; k++)
		sum += x[k * in + row] * dy[k * out + col];
	dw[i] = sum;
}

__global__ void bias_gradient(const float *dy, float *db, int rows, int out)
{
	int i = thread_index();
	float sum = 0.0f;

	if (i >= out)
		return;
	for (int k = 0; k < rows; k++)
		sum += dy[k * out + i];
	db[i] = sum;
}

/* dx[rows][in] = dy times w transposed, 0 where x was cut off. */
__global__ void input_gradient(const float *x, const float *w, const float *dy,
			       float *dx, int rows, int in, int out)
{
	int i = thread_index();
	int row = i / in, col = i % in;
	float sum = 0.0f;

	if (row >= rows)
		return;
	for (int k = 0; k < out; k++)
		sum += dy[row * out + k] * w[col * out + k];
	dx[i] = x[i] > 0.0f ? sum : 0.0f;
}

/* One thread a row: its cross entropy, and the gradient of the mean loss. */
__global__ void softmax_loss(const float *y, const unsigned char *labels,
			     float *dy, float *losses, int rows, int out)
{
	int row = thread_index();
	const float *in = y + row * out;
	float top, sum = 0.0f;

	if (row >= rows)
		return;
	top = in[0];
	for (int k = 1; k < out; k++)
		top = in[k] > top ? in[k] : top;
	for (int k = 0; k < out; k++)
		sum += expf(in[k] - top);
	for (int k = 0; k < out; k++) {
		float share = expf(in[k] - top) / sum;

		dy[row * out + k] =
			(share - (k == labels[row] ? 1.0f : 0.0f)) / rows;
	}
	losses[row] = logf(sum) - (in[labels[row]] - top);
}

/* One thread: the order of the sum is fixed. */
__global__ void mean_loss(const float *losses, float *loss, int rows)
{
	float sum = 0.0f;

	if (thread_index() != 0)
		return;
	for (int k = 0; k < rows; k++)
		sum += losses[k];
	*loss = sum / rows;
}

__global__ void momentum_step(float *w, float *velocity, const float *gradient,
			      float rate, float momentum, int count)
{
	int i = thread_index();

	if (i >= count)
		return;
	velocity[i] = momentum * velocity[i] - rate * gradient[i];
	w[i] += velocity[i];
}

/* hits[row] = 1 where the greatest output is the label. */
__global__ void compare_labels(const float *y, const unsigned char *labels,
			       unsigned char *hits, int rows, int out)
{
	int row = thread_index();
	int best = 0;

	if (row >= rows)
		return;
	for (int k = 1; k < out; k++)
		if (y[row * out + k] > y[row * out + best])
			best = k;
	hits[row] = best == labels[row];
}

#ifdef SIM_KERNELS
SIM_KERNELS(scale_pixels, dense_forward, weight_gradient, bias_gradient,
	    input_gradient, softmax_loss, mean_loss, momentum_step,
	    compare_labels)
#endif

#endif
