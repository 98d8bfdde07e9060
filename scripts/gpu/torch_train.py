"""A few training steps of ResNet-50 or VGG-16 on random images, or of a block
of GPT-2 on random words, as deterministic as PyTorch can: every loss has to be
the same in each run."""

import argparse
import os
import time
import warnings

from job import finish, hook_of, need

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


def images_loss(model, device, batch):
    """A function of the step's number, for the same images in each step."""
    images = torch.randn(batch, 3, 224, 224).to(device)
    labels = torch.randint(0, 1000, (batch,)).to(device)
    return lambda _number: torch.nn.functional.cross_entropy(model(images),
                                                             labels)


def words_loss(model, device, batch):
    """The same for texts, whose length is another one in each step: the sizes
    of what is asked for differ."""
    from torch_models import LENGTH, WORDS
    texts = torch.randint(0, WORDS, (batch, LENGTH + 1)).to(device)

    def loss_of(number):
        length = LENGTH - 48 * (number % 8)
        scores = model(texts[:, :length])
        return torch.nn.functional.cross_entropy(
            scores.flatten(0, 1), texts[:, 1:length + 1].flatten())
    return loss_of


def train(model, loss_of, device, steps):
    """Each step's loss and seconds."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses, seconds = [], []
    for number in range(steps):
        wait(device)
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(number)
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
                        choices=["resnet50", "vgg16", "gpt2"])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--hook", action="store_true",
                        help="ask mnm by CUDAPluggableAllocator")
    arguments = parser.parse_args()
    settings()
    allocator = hook_of("torch") if arguments.hook else None
    if allocator:
        torch.cuda.memory.change_current_allocator(allocator)
    model, origin = find(arguments.model)
    model = model.to(arguments.device).train()
    data = words_loss if arguments.model == "gpt2" else images_loss
    losses, seconds = train(
        model, data(model, arguments.device, arguments.batch),
        arguments.device, arguments.steps)
    figures = {"torch": torch.__version__, "model": origin}
    if arguments.device == "cuda" and not allocator:
        figures["torch_reserved_bytes"] = torch.cuda.max_memory_reserved()
    finish(losses, seconds[WARM:] or seconds, **figures)


if __name__ == "__main__":
    main()
