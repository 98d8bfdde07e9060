"""A training step captured into a CUDA graph and replayed, with PyTorch's own
cache on: its allocations during the capture come from a pool of the graph."""

import os
import time

from job import finish, need

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
torch = need("torch")
STEPS, WARM = 50, 3


def ones_sum(count):
    """Uses memory that comes and goes beside the graph, without the cache."""
    found = torch.full((count,), 1.0, device="cuda").sum().item()
    torch.cuda.empty_cache()
    return found


def main():
    nn = torch.nn
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512),
                          nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    images = torch.randn(STEPS, 64, 256)
    labels = torch.randint(0, 10, (STEPS, 64))
    image, label = images[0].cuda(), labels[0].cuda()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(image), label)
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    losses, seconds = [], []
    for number in range(STEPS):
        start = time.perf_counter()
        image.copy_(images[number])
        label.copy_(labels[number])
        graph.replay()
        losses.append(repr(loss.item()))
        seconds.append(time.perf_counter() - start)
        losses.append(repr(ones_sum(1 << 18 << number % 6)))
    finish(losses, seconds, torch=torch.__version__)


if __name__ == "__main__":
    main()
