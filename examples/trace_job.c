/* Runs an allocation trace as a job: the cudaMalloc, kernels and cudaFree calls
 * of a training or inference run, in its order, with its sizes.
 *
 * One kernel fills each buffer after its cudaMalloc, another checks it before
 * its cudaFree. Both are on the same stream: the trace's, or one of --streams.
 * A buffer may then be handed out again for any stream. cudaFree orders that,
 * as it returns only when the device has finished with the buffer. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include <cuda_runtime_api.h>
#include <mnm/mnm.h>

#include "trace/trace_file.h"
#include "trace_job_kernels.h"
#include "trace_options.h"
#include "trace_second.h"
#include "trace_times.h"

/* How many buffers in a row use one stream: about those of a layer. */
enum { STREAM_RUN = 16 };

struct buffer {
	void *address; /* NULL if it is not live */
	uint64_t bytes;
	unsigned int stream;
	unsigned int line; /* line of its malloc */
};

struct job {
	const struct options *options;
	const struct trace_file *trace;
	cudaStream_t streams[TRACE_STREAMS];
	unsigned int stream_count;
	struct buffer *buffers;         /* indexed by id */
	unsigned long long *mismatches; /* on the device */
	cudaEvent_t start, end;         /* of the current iteration */
	cudaEvent_t joined;             /* for another stream's part of it */
	int iteration;                  /* -1 outside of all */
	uint64_t compute_ns;            /* of the network, per buffer */
	float *times;                   /* ms of each iteration */
	long iterations;                /* complete ones */
	uint64_t requests;
	uint64_t live_bytes, peak_bytes;
	struct second second; /* with --second-thread */
	size_t from, until;   /* the events that are to run now */
};

/* Prints what failed, and at which line of the trace unless that is 0. */
static int job_fail(const struct job *job, unsigned int line, const char *what,
		    uint64_t bytes, cudaError_t error)
{
	fprintf(stderr, "%strace_job: %s:", job->options->progress ? "\n" : "",
		job->trace->path);
	if (line)
		fprintf(stderr, "%u: %s of %" PRIu64 " bytes", line, what,
			bytes);
	else
		fprintf(stderr, " %s", what);
	fprintf(stderr, ": %s\n", cudaGetErrorString(error));
	return -1;
}

static size_t job_pages(const struct job *job, uint64_t bytes)
{
	size_t total = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
	size_t most = job->options->most_pages;

	return total < most ? total : most;
}

/* Inputs are copied ahead of time, on a stream of their own. */
static unsigned int job_stream(const struct job *job,
			       const struct trace_event *event)
{
	unsigned int last = job->stream_count - 1;

	if (!job->options->streams)
		return event->stream;
	if (event->purpose == TRACE_INPUT || !last)
		return last;
	return (unsigned int)((event->id - 1) / STREAM_RUN % last);
}

static int job_malloc(struct job *job, const struct trace_event *event)
{
	struct buffer *buffer = &job->buffers[event->id];
	cudaError_t error;

	error = cudaMalloc(&buffer->address, event->bytes);
	if (error)
		return job_fail(job, event->line, "cudaMalloc", event->bytes,
				error);
	buffer->bytes = event->bytes;
	buffer->stream = job_stream(job, event);
	buffer->line = event->line;
	error = buffer_fill(job->streams[buffer->stream], buffer->address,
			    event->bytes, event->id,
			    job_pages(job, event->bytes));
	if (!error && job->compute_ns)
		error = stream_compute(job->streams[buffer->stream],
				       job->compute_ns);
	if (error)
		return job_fail(job, event->line, "fill", event->bytes, error);
	job->requests++;
	job->live_bytes += event->bytes;
	if (job->live_bytes > job->peak_bytes)
		job->peak_bytes = job->live_bytes;
	return 0;
}

/* `line` is that of the free. For a buffer that the trace frees after the job
 * stopped, it is that of the malloc. */
static int job_free(struct job *job, uint64_t id, unsigned int line)
{
	struct buffer *buffer = &job->buffers[id];
	cudaError_t error;

	error = buffer_check(job->streams[buffer->stream], buffer->address,
			     buffer->bytes, id, job_pages(job, buffer->bytes),
			     job->mismatches);
	if (error)
		return job_fail(job, line, "check", buffer->bytes, error);
	error = cudaFree(buffer->address);
	if (error)
		return job_fail(job, line, "cudaFree", buffer->bytes, error);
	buffer->address = NULL;
	job->requests++;
	job->live_bytes -= buffer->bytes;
	return 0;
}

static int job_free_rest(struct job *job)
{
	for (uint64_t id = 1; id <= job->trace->last_id; id++)
		if (job->buffers[id].address &&
		    job_free(job, id, job->buffers[id].line))
			return -1;
	return 0;
}

static void job_progress(const struct job *job, const char *end)
{
	if (job->options->progress)
		fprintf(stderr,
			"\r%s  iteration %ld  requests %" PRIu64
			"  live %.1f MiB  %s",
			job->trace->name, job->iterations, job->requests,
			(double)job->live_bytes / (1 << 20), end);
}

/* Runs the user's command, between two iterations. */
static void job_run_command(const struct job *job)
{
	char number[32];
	int status;

	if (!job->options->run || job->iterations % job->options->every)
		return;
	snprintf(number, sizeof(number), "%ld", job->iterations);
	setenv("ITERATION", number, 1);
	fflush(NULL);
	/* NOLINTNEXTLINE(cert-env33-c): a command that the user wrote */
	status = system(job->options->run);
	if (status == -1)
		perror("trace_job: --run");
	else if (WIFSIGNALED(status))
		fprintf(stderr, "trace_job: --run: killed by signal %d\n",
			WTERMSIG(status));
	else if (status)
		fprintf(stderr, "trace_job: --run: exit status %d\n",
			WEXITSTATUS(status));
}

/* Later work of the first stream waits for what the others have queued. */
static cudaError_t job_join(struct job *job)
{
	cudaError_t error = cudaSuccess;

	for (unsigned int i = 1; i < job->stream_count && !error; i++) {
		error = cudaEventRecord(job->joined, job->streams[i]);
		if (!error)
			error = cudaStreamWaitEvent(job->streams[0],
						    job->joined, 0);
	}
	return error;
}

/* Waits for the work of the iteration, as a training loop does that reads its
 * loss, and takes the iteration's time. */
static int iteration_end(struct job *job)
{
	cudaError_t error = job_join(job);

	if (!error)
		error = cudaEventRecord(job->end, job->streams[0]);
	if (!error)
		error = cudaEventSynchronize(job->end);
	if (!error)
		error = cudaEventElapsedTime(&job->times[job->iterations],
					     job->start, job->end);
	if (error)
		return job_fail(job, 0, "end of an iteration", 0, error);
	job->iterations++;
	job_progress(job, "");
	job_run_command(job);
	return 0;
}

static bool job_done(const struct job *job)
{
	return job->iterations >= job->options->iterations;
}

/* Spreads the network's own time over the buffers of the iteration. */
static uint64_t compute_share(const struct job *job,
			      const struct trace_event *mark)
{
	size_t at = (size_t)(mark - job->trace->events);
	uint64_t mallocs = trace_iteration_mallocs(job->trace, at);

	if (!job->options->compute || !mallocs)
		return 0;
	return (uint64_t)(job->trace->step_ms * 1e6) / mallocs;
}

/* `mark` is NULL at the end of the trace. */
static int job_mark(struct job *job, const struct trace_event *mark)
{
	int iteration = mark ? mark->iteration : -1;
	cudaError_t error;

	if (iteration == job->iteration)
		return 0;
	if (job->iteration >= 0 && iteration_end(job))
		return -1;
	job->compute_ns = 0;
	job->iteration = job_done(job) ? -1 : iteration;
	if (job->iteration < 0)
		return 0;
	if (job->options->mark)
		mnm_mark_iteration();
	job->compute_ns = compute_share(job, mark);
	error = cudaEventRecord(job->start, job->streams[0]);
	if (error)
		return job_fail(job, 0, "start of an iteration", 0, error);
	return 0;
}

static int job_event(struct job *job, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_MALLOC:
		return job_malloc(job, event);
	case TRACE_FREE:
		return job_free(job, event->id, event->line);
	default:
		return job_mark(job, event);
	}
}

static int events_run(void *arg)
{
	struct job *job = arg;

	for (size_t i = job->from; i < job->until && !job_done(job); i++) {
		if (job_event(job, &job->trace->events[i]))
			return -1;
		if (i % 4096 == 4095)
			job_progress(job, "");
	}
	return 0;
}

/* The iteration that begins at event `at`, in two threads. */
static int job_run_iteration(struct job *job, size_t at)
{
	size_t end;

	job->from = at;
	job->until = iteration_peak(job->trace, at, &end);
	if (events_run(job))
		return -1;
	job->from = job->until;
	job->until = end;
	return second_run(&job->second, events_run, job);
}

static int job_run(struct job *job)
{
	const struct trace_file *trace = job->trace;
	int failed = 0;

	job->until = 0;
	while (job->until < trace->count && !job_done(job) && !failed) {
		const struct trace_event *at = &trace->events[job->until];

		if (job->options->second && at->kind == TRACE_MARK &&
		    at->iteration >= 0) {
			failed = job_run_iteration(job, job->until);
			continue;
		}
		job->from = job->until;
		job->until =
			job->options->second ? job->from + 1 : trace->count;
		failed = events_run(job);
	}
	if (failed || job_mark(job, NULL) || job_free_rest(job))
		return -1;
	job_progress(job, "\n");
	return 0;
}

/* No other stream is given work, so that a job of one stream has only one. */
static cudaError_t job_open_device(struct job *job)
{
	cudaError_t error = cudaSuccess;

	for (unsigned int i = 0; i < job->stream_count && !error; i++)
		error = cudaStreamCreate(&job->streams[i]);
	if (!error)
		error = cudaEventCreateWithFlags(&job->joined,
						 cudaEventDisableTiming);
	if (!error)
		error = cudaEventCreate(&job->start);
	if (!error)
		error = cudaEventCreate(&job->end);
	if (!error)
		error = cudaMalloc((void **)&job->mismatches,
				   sizeof(*job->mismatches));
	if (!error)
		error = cudaMemsetAsync(job->mismatches, 0,
					sizeof(*job->mismatches),
					job->streams[0]);
	if (!error)
		error = cudaStreamSynchronize(job->streams[0]);
	return error;
}

static cudaError_t job_close_device(struct job *job, unsigned long long *found)
{
	cudaError_t error = cudaDeviceSynchronize();

	if (!error)
		error = cudaMemcpyAsync(found, job->mismatches, sizeof(*found),
					cudaMemcpyDeviceToHost,
					job->streams[0]);
	if (!error)
		error = cudaStreamSynchronize(job->streams[0]);
	if (!error)
		error = cudaFree(job->mismatches);
	if (!error)
		error = cudaEventDestroy(job->start);
	if (!error)
		error = cudaEventDestroy(job->end);
	if (!error)
		error = cudaEventDestroy(job->joined);
	for (unsigned int i = 0; i < job->stream_count && !error; i++)
		error = cudaStreamDestroy(job->streams[i]);
	return error;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs the job from its first CUDA call to its last. Returns the exit
 * status. */
static int job_do(struct job *job)
{
	double start = seconds_now();
	unsigned long long found = 0;
	cudaError_t error = job_open_device(job);

	if (error) {
		job_fail(job, 0, "set-up", 0, error);
		return 1;
	}
	if (job_run(job))
		return 1;
	error = job_close_device(job, &found);
	if (error) {
		job_fail(job, 0, "end", 0, error);
		return 1;
	}
	if (job->options->times)
		times_print(job->times, job->iterations);
	printf("wall time %.2f s\n", seconds_now() - start);
	printf("%s  iterations %ld  requests %" PRIu64
	       "  peak live MiB %.1f  step time %.3f ms  mismatches %llu\n",
	       job->trace->name, job->iterations, job->requests,
	       (double)job->peak_bytes / (1 << 20),
	       times_median(job->times, job->iterations), found);
	return found ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options options;
	struct trace_file trace;
	struct job job = {.options = &options, .trace = &trace};
	int status;

	if (!options_parse(&options, argc, argv, &status))
		return status;
	if (trace_open(&trace, options.path))
		return 2;
	if (options.compute && !trace.step_ms) {
		fprintf(stderr,
			"trace_job: %s: --compute: no t4_step_ms in "
			"its header\n",
			trace.path);
		trace_close(&trace);
		return 2;
	}
	job.iteration = -1;
	job.stream_count =
		options.streams ? (unsigned int)options.streams : trace.streams;
	job.buffers = calloc(trace.last_id + 1, sizeof(*job.buffers));
	job.times = calloc(trace.count, sizeof(*job.times));
	if (job.buffers && job.times &&
	    (!options.second || !second_start(&job.second))) {
		status = job_do(&job);
		if (options.second)
			second_end(&job.second);
	} else {
		fprintf(stderr, "trace_job: no memory for the job\n");
		status = 1;
	}
	free(job.times);
	free(job.buffers);
	trace_close(&trace);
	return status;
}
