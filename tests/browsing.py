"""What a browser must find on every page: silence, pictures with words, nothing that sticks out."""

from __future__ import annotations

__all__ = ["WIDTHS", "contrasts", "pictures", "silent", "sticks_out"]

WIDTHS = [1280, 820, 390, 320]


def silent(page) -> bool:
    """Whether the console has nothing to say."""
    return page.get_log("browser") == []


def sticks_out(page, width: int) -> bool:
    """Whether something makes the page wider than the window."""
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    inner, wide = page.execute_script(
        "return [document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    return not wide <= inner <= width


def pictures(page) -> int:
    """The number of pictures, each of which has a size and a name for those who listen."""
    found = page.find_elements("css selector", "figure svg")
    for picture in found:
        assert picture.size["width"] > 100
        assert picture.size["height"] > 30
        assert picture.accessible_name
    return len(found)


def contrasts(page) -> list[float]:
    """How much the small letters stand out from the paper."""
    colours = page.execute_script(
        "return [...document.querySelectorAll('.quiet, .meaning, thead th, .sub, figcaption, a')]"
        ".map(e => getComputedStyle(e).color)"
    )
    return [_contrast_with_white(colour) for colour in set(colours)]


def _contrast_with_white(colour: str) -> float:
    channels = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)
