"""Colours as they look to eyes that lack one kind of cone, and how far two of them are apart."""

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

Row = tuple[float, float, float]

VISIONS: dict[str, tuple[Row, Row, Row]] = {
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
"""For each the matrix at severity 1.0, of linear red, green and blue.

From G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE Transactions on Visualization and Computer Graphics 15(6), 2009.
"""

_TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
_WHITE = (0.95047, 1.0, 1.08883)

Lab = tuple[float, float, float]


def seen_color(color: str, vision: str) -> Lab:
    """A colour written `#rrggbb` as CIE L*a*b* (D65), the way it looks to eyes of a kind in `VISIONS`, or "typical"."""
    linear = [_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5)]
    if vision in VISIONS:
        linear = [min(1.0, max(0.0, value)) for value in _times(VISIONS[vision], linear)]
    x, y, z = (_cube_root(value / white) for value, white in zip(_times(_TO_XYZ, linear), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def color_difference(one: Lab, other: Lab) -> float:
    """The difference of two colours by CIEDE2000: 1 is just to be seen side by side, 100 black from white."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * sqrt(mean**7 / (mean**7 + 25**7))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    turn, around = (h2 - h1, h1 + h2) if c1 and c2 else (0.0, 2 * (h1 + h2))
    if abs(turn) > 180:
        turn, around = turn - 360 if turn > 0 else turn + 360, around + 360 if around < 360 else around - 360
    lightness, chroma, hue = (l1 + l2) / 2, (c1 + c2) / 2, around / 2
    weight = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    by_lightness = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    rotation = -2 * sqrt(chroma**7 / (chroma**7 + 25**7)) * sin(radians(60 * exp(-(((hue - 275) / 25) ** 2))))
    return sqrt(by_lightness**2 + by_chroma**2 + by_hue**2 + rotation * by_chroma * by_hue)


def _times(matrix: tuple[Row, Row, Row], vector: list[float]) -> list[float]:
    return [sum(one * other for one, other in zip(row, vector, strict=True)) for row in matrix]


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116
