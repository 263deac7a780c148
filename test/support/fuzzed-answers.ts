// Generates answers of the provider: as documented, with wrong values in some places, and arbitrary JSON.

import fc from 'fast-check';
import type { Shape, ValueType } from '../../src/provider/documented-answers/shapes.ts';
import { anyText } from './fuzzed-text.ts';

/** Stands for a number in JSON text that is larger than any number of JavaScript, so that it is read as Infinity. */
const HUGE = '@@huge@@';
/** Stands for the key `__proto__`, which an object literal cannot have. */
const PROTO = '@@proto@@';

const datetime = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('2026-06-01'), max: new Date('2026-08-01') })
    .map((date) => date.toISOString().slice(0, 19).replace('T', ' ')),
  fc.constantFrom(
    ...['0000-00-00 00:00:00', '0000-01-01 00:00:00', '0001-01-01 00:00:00', '0099-12-31 23:59:59'],
    ...['1883-11-18 12:03:58', '1900-01-01 00:00:00', '1969-12-31 23:59:59', '9999-12-31 23:59:59'],
    ...[
      '2026-03-29 02:30:00',
      '2026-10-25 02:30:00',
      '2026-07-05T12:00:00Z',
      '2026-07-05 24:00:00',
      '2026-02-30',
    ],
  ),
);

const VALUES: Readonly<Record<ValueType, fc.Arbitrary<unknown>>> = {
  text: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('a', 'b', 'gate.example', 'fr'),
  ),
  word_null: fc.constant('null'),
  integer: fc.oneof(fc.nat(1_000_000), fc.constantFrom(0, 1, 8_000, 2 ** 53 - 1)),
  number: fc.double({ min: 0, max: 1e6, noNaN: true }),
  boolean: fc.boolean(),
  datetime,
  date: datetime.map((text) => text.slice(0, 10)),
  uuid: fc.uuid(),
  country: fc.constantFrom('fr', 'gb', 'de'),
  cycle: fc.constantFrom('1:month', '3:week'),
  metadata: fc.constant({}),
};

/** Values that no field should have. */
const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    ...[null, true, '', '0', '-1', '1e3', 'null', 'NaN', [], {}, [[]], [null], [1], { a: 1 }],
    ...[-1, -0.5, 0.1, 1e21, -1e21, 1.7e308, 2 ** 53, -(2 ** 53), 5e-324, 65_536, 181, HUGE, `-${HUGE}`],
    ...[
      { [PROTO]: { polluted: true } },
      { constructor: 1 },
      { length: 1e9 },
      'x'.repeat(10_000),
      '\u0000',
      '\ud800',
    ],
  ),
  anyText(),
  datetime,
  fc.jsonValue({ maxDepth: 2 }),
);

/** Generates a value of the shape in which about one of `rarity` values is wrong, missing or renamed. */
const valueLike = (shape: Shape, rarity: number): fc.Arbitrary<unknown> => {
  const right = rightValueOf(shape, rarity);
  const weighted = [
    { weight: rarity, arbitrary: right },
    { weight: shape.isNullable ? 1 : 0, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: wrongValue },
  ];
  return fc.oneof(...weighted.filter(({ weight }) => weight > 0));
};

const rightValueOf = (shape: Shape, rarity: number): fc.Arbitrary<unknown> => {
  switch (shape.kind) {
    case 'value':
      return fc.oneof(...shape.types.map((type) => VALUES[type]), ...wordsOf(shape.vocabulary?.words));
    case 'list':
      return fc.array(valueLike(shape.item, rarity), { maxLength: 4 });
    case 'map':
      return fc.dictionary(
        fc.oneof(fc.constantFrom('a', 'isp_gb', PROTO), anyText(8)),
        valueLike(shape.value, rarity),
        {
          maxKeys: 3,
        },
      );
    case 'object': {
      const fields = Object.entries(shape.fields).map(
        ([name, each]) => [name, valueLike(each, rarity)] as const,
      );
      const lists = shape.hasUnnamedLists ? { line_items: unnamedList, proxies: unnamedList } : {};
      return fc.record({ ...Object.fromEntries(fields), ...lists }, rarity > 30 ? {} : { requiredKeys: [] });
    }
  }
};

const wordsOf = (words: readonly string[] | undefined): fc.Arbitrary<unknown>[] =>
  words === undefined || words.length === 0 ? [] : [fc.constantFrom(...words)];

const unnamedList = fc.array(
  fc.oneof(
    wrongValue,
    fc.record(
      {
        proxy_id: fc.uuid(),
        line_item_id: fc.uuid(),
        quantity: fc.oneof(fc.nat(50), wrongValue),
        total: wrongValue,
      },
      { requiredKeys: [] },
    ),
  ),
  { maxLength: 3 },
);

/** The JSON text of an answer of this shape: with few or many wrong values, or of any other JSON. */
export const answerText = (shape: Shape): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 5, arbitrary: valueLike(shape, 60) },
      { weight: 3, arbitrary: valueLike(shape, 8) },
      {
        weight: 1,
        arbitrary: fc.oneof(wrongValue, fc.record({ data: wrongValue, total_count: wrongValue })),
      },
    )
    .map(jsonText);

const jsonText = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(`"${HUGE}"`, '1e999')
    .replaceAll(`"-${HUGE}"`, '-1e999')
    .replaceAll(`"${PROTO}"`, '"__proto__"');
