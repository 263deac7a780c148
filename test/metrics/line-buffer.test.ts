// The lines of a family as bytes: the same text that strings would give.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineBuffer } from '../../src/metrics/sample-writer.ts';

const NAME = 'x_bytes';

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeNat(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 9, 10, 99, 100, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, 1e21, 5e-324),
);
const line = fc.record({ labels: fc.string({ unit: 'binary', maxLength: 40 }), value });

test('every value and every label is written as JavaScript writes it', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.string({ unit: 'binary' }), (lines, text) => {
      const buffer = new LineBuffer();
      for (const { labels, value } of lines) buffer.addSample(Buffer.from(NAME), labels, value);
      buffer.addText(text);
      const expected = lines.map(({ labels, value }) => `${NAME}${labels} ${value}\n`).join('') + text;
      expect(buffer.length).toBe(Buffer.byteLength(expected));
      expect(buffer.take().equals(Buffer.from(expected))).toBe(true);
    }),
  );
});

test('after its bytes are taken, it starts again with none', () => {
  const buffer = new LineBuffer();
  buffer.addText('first\n');
  expect(buffer.take().toString()).toBe('first\n');
  expect(buffer.length).toBe(0);
  buffer.addText('second\n');
  expect(buffer.take().toString()).toBe('second\n');
});
