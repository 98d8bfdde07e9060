"""A few training steps of ResNet-50 or VGG-16 on random images, as
deterministic as PyTorch can: every loss has to be the same in each run."""

import argparse
import os
import time
import warnings

from job import finish, need

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
torch = need("torch")
WARM = 3  # steps that are not timed


def settings():
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    warnings.filterwarnings("ignore", message=".*deterministic.*")


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def train(model, device, steps, batch):
    """Each step's loss and seconds."""
    images = torch.randn(batch, 3, 224, 224).to(device)
    labels = torch.randint(0, 1000, (batch,)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses, seconds = [], []
    for _ in range(steps):
        wait(device)
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        wait(device)
        seconds.append(time.perf_counter() - start)
        losses.append(repr(loss.item()))
    return losses, seconds


def main():
    from torch_models import model as find
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="resnet50",
                        choices=["resnet50", "vgg16"])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    arguments = parser.parse_args()
    settings()
    model, origin = find(arguments.model)
    model = model.to(arguments.device).train()
    losses, seconds = train(model, arguments.device, arguments.steps,
                            arguments.batch)
    figures = {"torch": torch.__version__, "model": origin}
    if arguments.device == "cuda":
        figures["torch_reserved_bytes"] = torch.cuda.max_memory_reserved()
    finish(losses, seconds[WARM:] or seconds, **figures)


if __name__ == "__main__":
    main()
