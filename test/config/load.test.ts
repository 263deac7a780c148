// Tests loading: anchors, environment, defaults, relative paths and the locations of mistakes.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import { relativePath } from '../../src/config/primitives.ts';
import { exampleSchema } from './example-schema.ts';
import { configErrorOf, createFolder, loadText } from './support.ts';

const anySchema = z.record(z.string(), z.unknown());

test('fills in everything that has a default', () => {
  const { config } = loadText(
    'accounts: [{name: main, base_url: "https://provider.example/1.0", public_key: a, private_key: b}]',
    exampleSchema,
  );
  expect(config).toMatchObject({
    server: { listen: { host: '127.0.0.1', port: 9876 } },
    store: { max_size: 10 * 2 ** 30 },
    accounts: [{ name: 'main', time_zone: 'UTC', traffic: { reread: 7_200_000, window: 86_400_000 } }],
    receivers: [],
  });
});

test('anchors of keys that begin with x- can be used, and the keys are left out', () => {
  const text = 'x-common: &common {a: 1, b: 2}\ny: {<<: *common, b: 3}\nz: *common\n';
  expect(loadText(text, anySchema).config).toEqual({ y: { a: 1, b: 3 }, z: { a: 1, b: 2 } });
});

test('of several merged maps the earlier wins, and own keys win over all of them in any order', () => {
  const text = 'x-a: &a {k: a, l: a}\nx-b: &b {k: b, l: b, m: b}\ny:\n  l: own\n  <<: [*a, *b]\n';
  expect(loadText(text, anySchema).config).toEqual({ y: { k: 'a', l: 'own', m: 'b' } });
});

test('a key that begins with x- is an ordinary key below the top level', () => {
  expect(loadText('a: {x-b: 1}', anySchema).config).toEqual({ a: { 'x-b': 1 } });
});

test('a key named __proto__ is an ordinary key and not a prototype', () => {
  const message = configErrorOf(() => loadText('accounts: []\n__proto__: {a: 1}\n', exampleSchema)).message;
  expect(message).toContain('__proto__: unknown key');
});

test.each([
  [`$\{NAME}`, 'value'],
  [`a$\{NAME}b$\{NAME}`, 'avaluebvalue'],
  [`$\{ABSENT:-other}`, 'other'],
  [`$\{EMPTY:-other}`, 'other'],
  [`$\{ABSENT:-}`, ''],
  [`"$\{EMPTY}"`, ''],
  [`"$\{YAML}"`, 'a: [b'],
  [`$$\{NAME}`, `$\{NAME}`],
  ['5$$', '5$'],
  ['$NAME', '$NAME'],
])('%s becomes %s', (written, expected) => {
  const env = { NAME: 'value', EMPTY: '', YAML: 'a: [b' };
  expect(loadText(`key: ${written}`, z.strictObject({ key: z.string() }), env).config.key).toBe(expected);
});

const looseSchema = z.strictObject({
  number: z.number(),
  text: z.string(),
  flag: z.boolean(),
  section: z.union([z.literal(false), z.strictObject({})]),
});

test('a variable without other text is text, number or boolean, as the schema requires', () => {
  const text = `number: $\{N}\ntext: $\{N}\nflag: $\{T}\nsection: $\{F:-false}\n`;
  const { config } = loadText(text, looseSchema, { N: '012', T: 'true' });
  expect(config).toEqual({ number: 12, text: '012', flag: true, section: false });
});

test('a variable in quotes or among other text is text', () => {
  const text = `number: "$\{N}"\ntext: x\nflag: t$\{T}\nsection: false\n`;
  const { mistakes } = configErrorOf(() => loadText(text, looseSchema, { N: '8', T: 'rue' }));
  expect(mistakes.map(({ path }) => path)).toEqual(['number', 'flag']);
});

test('a reference in the value of a variable is not expanded', () => {
  const { config } = loadText(`key: $\{A}`, z.strictObject({ key: z.string() }), { A: `$\{B}$$` });
  expect(config.key).toBe(`$\{B}$$`);
});

test('relative paths start at the folder of the file, absolute ones stay', () => {
  const folder = createFolder({
    'config.yaml': 'here: ./data/x.db\nup: ../x\nall: proxies/*.yaml\nroot: /x\n',
  });
  const path = relativePath();
  const schema = z.strictObject({ here: path, up: path, all: path, root: path });
  expect(loadConfig(join(folder, 'config.yaml'), schema, {}).config).toEqual({
    here: join(folder, 'data/x.db'),
    up: join(folder, '../x'),
    all: join(folder, 'proxies/*.yaml'),
    root: '/x',
  });
});

test('a file whose top-level value is a list can be loaded', () => {
  expect(loadText('- a\n- b\n', z.array(z.string())).config).toEqual(['a', 'b']);
});

test('a missing file is a mistake', () => {
  const file = join(createFolder({}), 'config.yaml');
  const error = configErrorOf(() => loadConfig(file, anySchema, {}));
  expect(error.message).toBe(`${file}:1:1: cannot read this file (no such file)`);
});

test('columns are correct in a file with a byte order mark and CRLF', () => {
  const schema = z.strictObject({ a: z.strictObject({ b: z.number() }) });
  const { mistakes } = configErrorOf(() => loadText('\uFEFFa:\r\n  b: x\r\n', schema));
  expect(mistakes).toMatchObject([{ line: 2, column: 6, path: 'a.b' }]);
});

test('mistakeAt locates a later mistake, in the defaults if the value was written there', () => {
  const text = `defaults: {time_zone: CET}
accounts:
  - {name: main, base_url: "https://provider.example/1.0", public_key: a, private_key: b}
`;
  const loaded = loadText(text, exampleSchema);
  const locationOf = (path: (string | number)[]) => {
    const { line, column, path: shown } = loaded.mistakeAt(path, '');
    return `${line}:${column} ${shown}`;
  };
  expect(locationOf(['accounts', 0, 'name'])).toBe('3:12 accounts[0].name');
  expect(locationOf(['accounts', 0, 'time_zone'])).toBe('1:23 defaults.time_zone');
  expect(locationOf(['accounts', 0, 'traffic', 'reread'])).toBe('3:5 accounts[0].traffic.reread');
});

test('an account replaces a secret of the defaults in either of its forms', () => {
  const text = `defaults: {base_url: "https://provider.example/1.0", public_key: a, private_key_file: missing}
accounts:
  - {name: main, private_key: b}
`;
  expect(loadText(text, exampleSchema).config.accounts[0]?.private_key.reveal()).toBe('b');
});
