# Prints the codes of pictures in PGM, one per line: its kind and, in hexadecimal digits, its bytes.
import sys, zxingcpp
from collections import Counter
for path in sys.argv[1:]:
    data = open(path, 'rb').read()
    _, size, _, pixels = data.split(b'\n', 3)
    width, height = map(int, size.split())
    # Beside QR codes the reader misses a PDF417, which a camera is held over alone.
    lines = Counter()
    def read(top, rows, kind, weight):
        part = pixels[top * width:(top + rows) * width]
        view = memoryview(part).cast('B', shape=[rows, width])
        for found in zxingcpp.read_barcodes(view, formats=kind):
            name = str(found.format).split('.')[-1].replace(' ', '')
            lines[name + '\t' + bytes(found.bytes).hex()] += weight
    read(0, height, zxingcpp.BarcodeFormat.QRCode, 2)
    # A strip may cut a code, and the reader correct what is left to another one. A whole code is in
    # several strips.
    for top in range(0, height, 100):
        read(top, min(1100, height - top), zxingcpp.BarcodeFormat.PDF417, 1)
    for line, weight in lines.items():
        if weight > 1:
            print(line)
