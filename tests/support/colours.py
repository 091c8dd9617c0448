"""Colours as people see them: OKLCH, the common colour-blindnesses, and the distance of two colours.

Sources: B. Ottosson, "A perceptual color space for image processing" (OKLab, 2020); G. Machado et al., "A
physiologically-based model for simulation of color vision deficiency" (2009), the matrices of severity 1; ISO/CIE
11664-6:2014 (CIEDE2000); WCAG 2.2 (contrast).
"""

from __future__ import annotations

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from typing import Final, TypeAlias

Triple: TypeAlias = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1; or a colour of another colour space, if the function says so."""

VISIONS: Final[dict[str, tuple[Triple, Triple, Triple]]] = {
    "trichromacy": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""For each kind of vision: the matrix from a colour's linear parts to the seen ones."""


def oklab(lightness: float, chroma: float, hue: float) -> Triple:
    """Convert OKLCH to OKLab; the hue is in degrees."""
    return lightness, chroma * cos(radians(hue)), chroma * sin(radians(hue))


def linear(lab: Triple) -> Triple:
    """Convert OKLab to a linear colour, limited to the range of a screen."""
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return _cut(
        (
            4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        )
    )


def mixed(one: Triple, other: Triple, share: float) -> Triple:
    """Return the mixture with this share of the first colour, 0 to 1."""
    first, second, third = (share * a + (1 - share) * b for a, b in zip(one, other, strict=True))
    return first, second, third


def seen(colour: Triple, vision: str) -> Triple:
    """Return the colour as eyes with that vision see it."""
    first, second, third = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in VISIONS[vision])
    return _cut((first, second, third))


def contrast(one: Triple, other: Triple) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def distance(one: Triple, other: Triple) -> float:
    """Return the distance by CIEDE2000: 1 is just noticeable side by side; black to white is 100."""
    (light1, a1, b1), (light2, a2, b2) = _cielab(one), _cielab(other)
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * sqrt(mean**7 / (mean**7 + 25**7))
    chroma1, chroma2 = hypot(a1 * stretch, b1), hypot(a2 * stretch, b2)
    hue1, hue2 = degrees(atan2(b1, a1 * stretch)) % 360, degrees(atan2(b2, a2 * stretch)) % 360
    turn = (hue2 - hue1 + 180) % 360 - 180
    hue = (hue1 + turn / 2) % 360
    light, chroma = (light1 + light2) / 2, (chroma1 + chroma2) / 2
    hue_weight = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    by_light = (light2 - light1) / (1 + 0.015 * (light - 50) ** 2 / sqrt(20 + (light - 50) ** 2))
    by_chroma = (chroma2 - chroma1) / (1 + 0.045 * chroma)
    by_hue = 2 * sqrt(chroma1 * chroma2) * sin(radians(turn / 2)) / (1 + 0.015 * chroma * hue_weight)
    turned = sin(radians(60 * exp(-(((hue - 275) / 25) ** 2))))
    rotation = -2 * sqrt(chroma**7 / (chroma**7 + 25**7)) * turned
    return sqrt(by_light**2 + by_chroma**2 + by_hue**2 + rotation * by_chroma * by_hue)


def _cut(colour: Triple) -> Triple:
    first, second, third = (min(1.0, max(0.0, part)) for part in colour)
    return first, second, third


def _luminance(colour: Triple) -> float:
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def _cielab(colour: Triple) -> Triple:
    red, green, blue = colour
    x = _cube_root((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047)
    y = _cube_root(_luminance(colour))
    z = _cube_root((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _cube_root(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116
