"""ResNet-50 and VGG-16 by torchvision, or our own of the same shape without it,
and a block of GPT-2 of our own, with the words before and behind it.
Images are 224 by 224, for which VGG's adaptive pool does nothing. The pool is
left out, since its gradient is not deterministic."""

import math

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 50257, 512, 768, 12


def block(inside, width, stride):
    """A bottleneck and, where the shape changes, a projection beside it."""
    out = width * 4
    body = nn.Sequential(
        nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.Conv2d(width, width, 3, stride, 1, bias=False),
        nn.BatchNorm2d(width), nn.ReLU(inplace=True),
        nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out))
    beside = nn.Identity()
    if stride != 1 or inside != out:
        beside = nn.Sequential(nn.Conv2d(inside, out, 1, stride, bias=False),
                               nn.BatchNorm2d(out))
    return Residual(body, beside)


class Residual(nn.Module):
    def __init__(self, body, beside):
        super().__init__()
        self.body, self.beside = body, beside
        self.last = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.last(self.body(x) + self.beside(x))


def own_resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64),
              nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inside = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2),
                                 (512, 3, 2)):
        for number in range(count):
            layers.append(block(inside, width, 1 if number else stride))
            inside = width * 4
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(inside, 1000))


def own_vgg16():
    layers, inside = [], 3
    for width, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            layers += [nn.Conv2d(inside, width, 3, padding=1),
                       nn.ReLU(inplace=True)]
            inside = width
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(
        *layers, nn.Flatten(), nn.Linear(512 * 7 * 7, 4096), nn.ReLU(True),
        nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(),
        nn.Linear(4096, 1000))


class Attention(nn.Module):
    """By plain products: the fused kernels' gradients may add in any order."""

    def __init__(self):
        super().__init__()
        self.asked = nn.Linear(WIDTH, 3 * WIDTH)
        self.last = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        count, length, _ = x.shape
        query, key, value = (
            part.view(count, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.asked(x).split(WIDTH, dim=2))
        scores = query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS)
        later = torch.ones(length, length, dtype=torch.bool,
                           device=x.device).triu(1)
        scores = scores.masked_fill(later, -math.inf).softmax(3)
        return self.last((scores @ value).transpose(1, 2)
                         .reshape(count, length, WIDTH))


class GPT2(nn.Module):
    """Words, one block of the small GPT-2, and the scores of each next word."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.inner = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(approximate="tanh"),
            nn.Linear(4 * WIDTH, WIDTH))
        self.last = nn.LayerNorm(WIDTH)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, words):
        places = torch.arange(words.shape[1], device=words.device)
        x = self.words(words) + self.places(places)
        x = x + self.attention(self.first(x))
        x = x + self.inner(self.second(x))
        return self.last(x) @ self.words.weight.T


def model(name):
    """The model and who defined it."""
    if name == "gpt2":
        return GPT2(), "own"
    try:
        from torchvision import models
    except (ImportError, RuntimeError):  # built for another torch
        return {"resnet50": own_resnet50, "vgg16": own_vgg16}[name](), "own"
    made = getattr(models, name)(weights=None)
    if name == "vgg16":
        made.avgpool = nn.Identity()
    return made, "torchvision"
