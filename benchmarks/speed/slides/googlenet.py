"""GoogLeNet (Szegedy, 2015) with batch normalisation, as in torchvision, weights at random."""

import torch
from torch import nn

# Channels in, and out of the four branches: 1; 3 after reduction; 5 after reduction; pool.
BLOCKS = [
    (192, 64, 96, 128, 16, 32, 32),
    (256, 128, 128, 192, 32, 96, 64),
    None,
    (480, 192, 96, 208, 16, 48, 64),
    (512, 160, 112, 224, 24, 64, 64),
    (512, 128, 128, 256, 24, 64, 64),
    (512, 112, 144, 288, 32, 64, 64),
    (528, 256, 160, 320, 32, 128, 128),
    None,
    (832, 256, 160, 320, 32, 128, 128),
    (832, 384, 192, 384, 48, 128, 128),
]


def conv(n_in, n_out, **how):
    layer = nn.Conv2d(n_in, n_out, bias=False, **how)
    return nn.Sequential(layer, nn.BatchNorm2d(n_out, eps=0.001, momentum=0.3), nn.ReLU())


class Inception(nn.Module):
    def __init__(self, n_in, one, to_three, three, to_five, five, pool):
        super().__init__()
        pooled = nn.MaxPool2d(3, stride=1, padding=1, ceil_mode=True)
        self.branches = nn.ModuleList(
            [
                conv(n_in, one, kernel_size=1),
                nn.Sequential(
                    conv(n_in, to_three, kernel_size=1),
                    conv(to_three, three, kernel_size=3, padding=1),
                ),
                nn.Sequential(
                    conv(n_in, to_five, kernel_size=1),
                    conv(to_five, five, kernel_size=3, padding=1),
                ),
                nn.Sequential(pooled, conv(n_in, pool, kernel_size=1)),
            ]
        )

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def googlenet(n_classes=2):
    halve = {"kernel_size": 3, "stride": 2, "ceil_mode": True}
    blocks = [nn.MaxPool2d(**halve) if sizes is None else Inception(*sizes) for sizes in BLOCKS]
    return nn.Sequential(
        conv(3, 64, kernel_size=7, stride=2, padding=3),
        nn.MaxPool2d(**halve),
        conv(64, 64, kernel_size=1),
        conv(64, 192, kernel_size=3, padding=1),
        nn.MaxPool2d(**halve),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(1024, n_classes),
    )


def settled(model, pixels):
    """Give the normalisation the statistics of ``pixels``, and the scores some spread."""
    model.train()
    with torch.no_grad():
        for _ in range(15):
            model(pixels)
        model.eval()
        end = model[-1]
        logits = model(pixels)
        gap = logits[:, 1] - logits[:, 0]
        end.weight *= 2 / gap.std()
        end.bias *= 2 / gap.std()
        end.bias[1] -= (gap * 2 / gap.std()).mean()
    return model
