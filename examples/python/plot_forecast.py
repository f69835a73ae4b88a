"""Draws a series, a saved model's prediction over it and beyond it, and the interval, as SVG.

usage: plot_forecast.py COVARY MODEL DATA.csv INPUT TARGET UNTIL OUT.svg
Needs nothing but Python and the covary program.
"""
import csv
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, MARGIN = 860, 320, 46


def predictions(covary, model, name, points):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(name + "\n" + "".join(f"{x!r}\n" for x in points))
        file.flush()
        out = subprocess.run([covary, "predict", model, file.name], capture_output=True, text=True,
                             check=True).stdout
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(out.splitlines())]


def ticks(low, high):
    step = 10 ** len(str(int(high - low))) / 10
    step = step / 2 if (high - low) / step < 4 else step
    first = int(low / step) + (low > 0)
    return [i * step for i in range(first, int(high / step) + 1)]


def draw(x, y, points, bands, input_name, target_name):
    lowest = min(min(y), min(b["lower"] for b in bands))
    highest = max(max(y), max(b["upper"] for b in bands))

    def px(value):
        return MARGIN + (WIDTH - 2 * MARGIN) * (value - points[0]) / (points[-1] - points[0])

    def py(value):
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value - lowest) / (highest - lowest)

    def line(values):
        return " ".join(f"{px(p):.1f},{py(v):.1f}" for p, v in values)

    upper = [(p, b["upper"]) for p, b in zip(points, bands)]
    lower = [(p, b["lower"]) for p, b in zip(points, bands)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12" fill="#444">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<polygon points="{line(upper + lower[::-1])}" fill="#9ecae1" opacity="0.6"/>',
        f'<polyline points="{line([(p, b["mean"]) for p, b in zip(points, bands)])}" '
        'fill="none" stroke="#08519c" stroke-width="1.5"/>',
        f'<line x1="{px(max(x)):.1f}" x2="{px(max(x)):.1f}" y1="{MARGIN}" y2="{HEIGHT - MARGIN}" '
        'stroke="#999" stroke-dasharray="3 3"/>',
    ]
    parts += [f'<circle cx="{px(a):.1f}" cy="{py(b):.1f}" r="2" fill="#222"/>'
              for a, b in zip(x, y)]
    parts += [f'<text x="{px(t):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{t:g}</text>'
              for t in ticks(points[0], points[-1])]
    parts += [f'<text x="{MARGIN - 6}" y="{py(t) + 4:.1f}" text-anchor="end">{t:g}</text>'
              for t in ticks(lowest, highest)]
    parts += [f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{input_name}</text>',
              f'<text x="{MARGIN - 30}" y="{MARGIN - 14}">{target_name}: data, mean and 95 % '
              "interval; forecast right of the dashed line</text>", "</svg>"]
    return "\n".join(parts) + "\n"


def main():
    covary, model, data, input_name, target_name, until, out = sys.argv[1:]
    with open(data, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    x = [float(row[input_name]) for row in rows]
    y = [float(row[target_name]) for row in rows]
    points = [min(x) + (float(until) - min(x)) * i / 600 for i in range(601)]
    with open(out, "w", encoding="utf-8") as file:
        file.write(draw(x, y, points, predictions(covary, model, input_name, points), input_name,
                        target_name))


if __name__ == "__main__":
    main()
