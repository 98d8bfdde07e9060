/* Trains a small network on images of handwritten digits. It is plain CUDA C++
 * that allocates what each step needs with cudaMalloc and frees it with
 * cudaFree. One stream uploads the next batch while another computes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "cuda_check.h"
#include "train_digits_data.h"
#include "train_digits_model.h"
#include "train_digits_options.h"
#include "train_digits_random.h"

/* Pinned memory in which a batch is gathered, and its upload to the device. */
struct upload {
	unsigned char *host;  /* pixels, then labels */
	struct batch batch;   /* rows is 0 if nothing is being uploaded */
	cudaEvent_t uploaded; /* recorded after the copies */
};

struct trainer {
	struct options options;
	struct digits digits;
	struct random random;
	struct model model;
	cudaStream_t copy_stream, compute_stream;
	struct upload uploads[2];        /* this step's and the next one's */
	std::vector<int> train, test;    /* indices of images */
	std::vector<cudaEvent_t> starts; /* of each step, and the end */
	float *loss;                     /* of the last step; on the device */
};

static void trainer_open(struct trainer *trainer)
{
	size_t bytes = (size_t)trainer->options.batch * (DIGIT_PIXELS + 1);
	std::vector<int> order;

	for (int i = 0; i < trainer->digits.count; i++)
		order.push_back(i);
	trainer->random.state = 1;
	random_shuffle(&trainer->random, order.data(), (int)order.size());
	trainer->train.assign(order.begin(),
			      order.begin() + (long)order.size() * 8 / 10);
	trainer->test.assign(order.begin() + trainer->train.size(),
			     order.end());
	CUDA(cudaStreamCreateWithFlags(&trainer->copy_stream,
				       cudaStreamNonBlocking));
	CUDA(cudaStreamCreateWithFlags(&trainer->compute_stream,
				       cudaStreamNonBlocking));
	for (struct upload &upload : trainer->uploads) {
		CUDA(cudaMallocHost(&upload.host, bytes));
		CUDA(cudaEventCreateWithFlags(&upload.uploaded,
					      cudaEventDisableTiming));
		upload.batch = {};
	}
	CUDA(cudaMalloc(&trainer->loss, sizeof(float)));
	model_open(&trainer->model, trainer->compute_stream, &trainer->random);
}

static void trainer_close(struct trainer *trainer)
{
	model_close(&trainer->model);
	CUDA(cudaFree(trainer->loss));
	for (struct upload &upload : trainer->uploads) {
		CUDA(cudaFreeHost(upload.host));
		CUDA(cudaEventDestroy(upload.uploaded));
	}
	for (cudaEvent_t start : trainer->starts)
		CUDA(cudaEventDestroy(start));
	CUDA(cudaStreamDestroy(trainer->copy_stream));
	CUDA(cudaStreamDestroy(trainer->compute_stream));
	digits_close(&trainer->digits);
}

/* Starts the upload of the images at first..first+rows of an order. */
static void upload_start(struct trainer *trainer, struct upload *upload,
			 const std::vector<int> &order, int first)
{
	int rows = std::min(trainer->options.batch, (int)order.size() - first);
	size_t bytes = (size_t)rows * DIGIT_PIXELS;
	unsigned char *labels = upload->host + bytes;
	struct batch *batch = &upload->batch;

	/* The copies of two steps ago may still read the pinned memory. */
	CUDA(cudaEventSynchronize(upload->uploaded));
	for (int row = 0; row < rows; row++) {
		int image = order[first + row];

		memcpy(upload->host + (size_t)row * DIGIT_PIXELS,
		       trainer->digits.pixels + (size_t)image * DIGIT_PIXELS,
		       DIGIT_PIXELS);
		labels[row] = trainer->digits.labels[image];
	}
	batch->rows = rows;
	CUDA(cudaMalloc(&batch->pixels, bytes));
	CUDA(cudaMalloc(&batch->labels, rows));
	CUDA(cudaMemcpyAsync(batch->pixels, upload->host, bytes,
			     cudaMemcpyHostToDevice, trainer->copy_stream));
	CUDA(cudaMemcpyAsync(batch->labels, labels, rows,
			     cudaMemcpyHostToDevice, trainer->copy_stream));
	CUDA(cudaEventRecord(upload->uploaded, trainer->copy_stream));
}

/* Frees the batch, if there is one, while work on it may be queued. */
static void upload_end(struct upload *upload)
{
	if (!upload->batch.rows)
		return;
	CUDA(cudaFree(upload->batch.pixels));
	CUDA(cudaFree(upload->batch.labels));
	upload->batch = {};
}

static float loss_read(struct trainer *trainer)
{
	float loss;

	CUDA(cudaMemcpyAsync(&loss, trainer->loss, sizeof(loss),
			     cudaMemcpyDeviceToHost, trainer->compute_stream));
	CUDA(cudaStreamSynchronize(trainer->compute_stream));
	return loss;
}

static void start_record(struct trainer *trainer)
{
	cudaEvent_t start;

	CUDA(cudaEventCreate(&start));
	trainer->starts.push_back(start);
	CUDA(cudaEventRecord(start, trainer->compute_stream));
}

static void command_run(struct trainer *trainer, int step)
{
	char text[16];
	int status;

	CUDA(cudaDeviceSynchronize());
	fflush(stdout);
	snprintf(text, sizeof(text), "%d", step);
	setenv("STEP", text, 1);
	status = system(trainer->options.command);
	if (status) {
		fprintf(stderr, "train_digits: step %d: %s: status %d\n", step,
			trainer->options.command, status);
		exit(1);
	}
}

/* Runs one step: trains on the batch that was uploaded, and starts the upload
 * of the next one, if there is one. */
static void step_run(struct trainer *trainer, int step, int first)
{
	const struct options *options = &trainer->options;
	struct upload *upload = &trainer->uploads[step % 2];
	int next = first + upload->batch.rows;

	start_record(trainer);
	CUDA(cudaStreamWaitEvent(trainer->compute_stream, upload->uploaded, 0));
	model_step(&trainer->model, &upload->batch, trainer->loss);
	if (next < (int)trainer->train.size())
		upload_start(trainer, &trainer->uploads[(step + 1) % 2],
			     trainer->train, next);
	upload_end(upload);
	if (options->losses)
		printf("step %d loss %.9g\n", step + 1, loss_read(trainer));
	if (options->every && (step + 1) % options->every == 0)
		command_run(trainer, step + 1);
}

static bool steps_done(const struct trainer *trainer, int step)
{
	return trainer->options.steps && step >= trainer->options.steps;
}

/* Runs an epoch from this step on, as far as the steps go. Returns the step
 * after it. */
static int epoch_run(struct trainer *trainer, int step)
{
	int images = (int)trainer->train.size();

	random_shuffle(&trainer->random, trainer->train.data(), images);
	upload_start(trainer, &trainer->uploads[step % 2], trainer->train, 0);
	for (int first = 0; first < images && !steps_done(trainer, step);
	     first += trainer->options.batch)
		step_run(trainer, step++, first);
	if (!trainer->options.losses)
		printf("step %d loss %.9g\n", step, loss_read(trainer));
	return step;
}

/* Runs the epochs, or as many steps as were asked for. Returns the number of
 * steps. */
static int trainer_run(struct trainer *trainer)
{
	int step = 0;

	for (int epoch = 0; epoch < trainer->options.epochs; epoch++)
		if (!steps_done(trainer, step))
			step = epoch_run(trainer, step);
	start_record(trainer);
	for (struct upload &upload : trainer->uploads)
		upload_end(&upload); /* uploaded for a step that is not run */
	return step;
}

/* Returns the share of test images that the model names rightly. */
static double trainer_test(struct trainer *trainer)
{
	struct upload *upload = &trainer->uploads[0];
	int images = (int)trainer->test.size(), right = 0;
	std::vector<unsigned char> hits(trainer->options.batch);

	for (int first = 0; first < images; first += trainer->options.batch) {
		unsigned char *device_hits;
		int rows;

		upload_start(trainer, upload, trainer->test, first);
		rows = upload->batch.rows;
		CUDA(cudaMalloc(&device_hits, rows));
		CUDA(cudaStreamWaitEvent(trainer->compute_stream,
					 upload->uploaded, 0));
		model_compare(&trainer->model, &upload->batch, device_hits);
		CUDA(cudaMemcpyAsync(hits.data(), device_hits, rows,
				     cudaMemcpyDeviceToHost,
				     trainer->compute_stream));
		CUDA(cudaStreamSynchronize(trainer->compute_stream));
		CUDA(cudaFree(device_hits));
		upload_end(upload);
		right += (int)std::count(hits.begin(), hits.begin() + rows, 1);
	}
	return (double)right / images;
}

/* Returns the median of the milliseconds between the starts of two steps. */
static float step_time(const struct trainer *trainer)
{
	std::vector<float> times;

	CUDA(cudaEventSynchronize(trainer->starts.back()));
	for (size_t i = 1; i < trainer->starts.size(); i++) {
		float ms;

		CUDA(cudaEventElapsedTime(&ms, trainer->starts[i - 1],
					  trainer->starts[i]));
		times.push_back(ms);
	}
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

int main(int argc, char **argv)
{
	struct trainer trainer = {};
	int steps;
	float loss;

	options_read(&trainer.options, argc, argv);
	if (digits_open(&trainer.digits, trainer.options.data))
		return 1;
	trainer_open(&trainer);
	steps = trainer_run(&trainer);
	loss = loss_read(&trainer);
	printf("steps %d  loss %.9g  test accuracy %.2f %%  "
	       "step time %.4f ms\n",
	       steps, loss, 100 * trainer_test(&trainer), step_time(&trainer));
	trainer_close(&trainer);
	return 0;
}
