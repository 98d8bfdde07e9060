"""ResNet-50 and VGG-16 by torchvision, or our own of the same shape without it.
Inputs are 224 by 224, for which VGG's adaptive pool does nothing. The pool is
left out, since its gradient is not deterministic."""

from torch import nn


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


def model(name):
    """The model and who defined it."""
    try:
        from torchvision import models
    except (ImportError, RuntimeError):  # built for another torch
        return {"resnet50": own_resnet50, "vgg16": own_vgg16}[name](), "own"
    made = getattr(models, name)(weights=None)
    if name == "vgg16":
        made.avgpool = nn.Identity()
    return made, "torchvision"
