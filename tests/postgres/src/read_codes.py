# Prints the codes of pictures in PGM, one per line: its kind and, in hexadecimal digits, its bytes.
import sys, zxingcpp
from collections import Counter
for path in sys.argv[1:]:
    data = open(path, 'rb').read()
    _, size, _, pixels = data.split(b'\n', 3)
    width, height = map(int, size.split())
    # Kinds and places of codes, each with what was read there, and how often.
    codes = []
    def read(top, rows, kind):
        part = pixels[top * width:(top + rows) * width]
        view = memoryview(part).cast('B', shape=[rows, width])
        for found in zxingcpp.read_barcodes(view, formats=kind):
            name = str(found.format).split('.')[-1].replace(' ', '')
            corner = found.position.bottom_right
            at = (corner.x, top + corner.y)
            near = lambda other: max(abs(a - b) for a, b in zip(at, other)) < 50
            known = (read for kind, other, read in codes if kind == name and near(other))
            counts = next(known, None)
            if counts is None:
                counts = Counter()
                codes.append((name, at, counts))
            counts[bytes(found.bytes).hex()] += 1
    read(0, height, zxingcpp.BarcodeFormat.QRCode)
    # Beside QR codes the reader misses a PDF417, which a camera is held over alone. In some of the
    # strips it corrects one to other bytes, so what most of them read counts.
    for top in range(0, height, 100):
        read(top, min(1100, height - top), zxingcpp.BarcodeFormat.PDF417)
    lines = [name + '\t' + counts.most_common(1)[0][0] for name, _, counts in codes]
    for line in dict.fromkeys(lines):
        print(line)
