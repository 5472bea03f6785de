"""drawing.py - lines and points as a small SVG picture, so that the notebooks need nothing but marey and numpy. With a
plotting library of your own use that.
"""
import html

import numpy as np

from marey.pictures import Picture

COLOURS = ("#1f5fa8", "#c2410c", "#2f7d32", "#7a3ea1", "#8a6d00", "#555555")


def _ticks(low, high):
    step = 10.0 ** np.floor(np.log10(max(high - low, 1e-9)))
    step *= next(factor for factor in (1, 0.5, 0.2, 0.1) if (high - low) / (step * factor) >= 4 or factor == 0.1)
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no -0


def draw(curves, x="", y="", dots=(), equal=False, plan=False, width=760, height=400):
    """curves: {name: (xs, ys)}; those whose names are in `dots` are points. equal: one unit is as long both ways;
    plan: and y points down, as z does on the floor seen from above."""
    x_and_y = [np.concatenate([np.ravel(curve[axis]) for curve in curves.values()]) for axis in (0, 1)]
    low, high = (np.array([bound(values) for values in x_and_y], float) for bound in (np.min, np.max))
    room = np.maximum((high - low) * 0.05, 1e-6)
    low, high = low - room, high + room
    left, right, top, bottom = 70, 60 + 7 * max(map(len, curves)), 20, 50
    scale = np.array([width - left - right, height - top - bottom]) / (high - low)
    if equal or plan:
        scale[:] = scale.min()
        width, height = (np.array([left + right, top + bottom]) + (high - low) * scale).astype(int)

    def at(xs, ys):
        rise = (np.ravel(ys) - low[1]) * scale[1]
        return left + (np.ravel(xs) - low[0]) * scale[0], top + rise if plan else height - bottom - rise

    text = 'font-family="sans-serif" font-size="12" fill="#333"'
    parts = []
    for tick in _ticks(low[0], high[0]):
        px = at(tick, low[1])[0][0]
        parts.append(f'<path d="M{px:.1f},{top}V{height - bottom}" stroke="#e5e5e5"/>'
                     f'<text x="{px:.1f}" y="{height - bottom + 16}" text-anchor="middle" {text}>{tick:g}</text>')
    for tick in _ticks(low[1], high[1]):
        py = at(low[0], tick)[1][0]
        parts.append(f'<path d="M{left},{py:.1f}H{at(high[0], 0)[0][0]:.1f}" stroke="#e5e5e5"/>'
                     f'<text x="{left - 6}" y="{py + 4:.1f}" text-anchor="end" {text}>{tick:g}</text>')
    for number, (name, (xs, ys)) in enumerate(curves.items()):
        colour, points = COLOURS[number % len(COLOURS)], list(zip(*at(xs, ys)))
        if name in dots:
            parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{colour}"/>' for px, py in points]
        else:
            path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        px, py = width - right + 14, top + 6 + 18 * number
        parts.append(f'<rect x="{px}" y="{py}" width="12" height="4" fill="{colour}"/>'
                     f'<text x="{px + 18}" y="{py + 6}" {text}>{html.escape(name)}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle" {text}>'
                 f'{html.escape(x)}</text>'
                 f'<text x="16" y="{height / 2}" text-anchor="middle" {text} transform="rotate(-90 16 {height / 2})">'
                 f'{html.escape(y)}</text>')
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
           f'<rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>')
    return Picture(svg.encode(), "svg")
