#include "site.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "context.h"
#include "stream.h"
#include "thread.h"

static const char *kind_of(const struct stream *stream)
{
	if (stream == stream->ctx->legacy)
		return "legacy";
	if (stream->owner)
		return "per-thread";
	return stream_is_blocking(stream) ? "blocking" : "non-blocking";
}

struct site site_here(void)
{
	if (!self.id)
		self.id = syscall(SYS_gettid);
	return (struct site){.call = self.call ? self.call
					       : "a stream's thread",
			     .thread = self.id};
}

struct site site_in(const struct stream *stream)
{
	struct site site = site_here();

	site.stream = stream->id;
	site.stream_kind = kind_of(stream);
	site.place = stream->submitted + 1;
	return site;
}
