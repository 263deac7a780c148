// Tests the merging of defaults: properties that hold for any two values, and that values keep their location.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ConfigNode, locate, mergeDefaults, toValue } from '../../src/config/config-node.ts';
import { readYaml } from '../../src/config/yaml-source.ts';

type Value = string | number | boolean | Value[] | { [key: string]: Value };

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Value>('text', 8, false),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
  ),
}));

const isMap = (value: Value | undefined): value is { [key: string]: Value } =>
  typeof value === 'object' && !Array.isArray(value);

const nodeOf = (value: Value): ConfigNode => {
  const { root } = readYaml(JSON.stringify(value), {});
  if (!root) throw new Error('expected JSON to be valid YAML');
  return root;
};

const merge = (defaults: Value, account: Value): unknown =>
  toValue(mergeDefaults(nodeOf(defaults), nodeOf(account)), new Set());

describe('mergeDefaults', () => {
  test('merges maps key by key, and nothing else', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (defaults, account) => {
        if (!isMap(defaults) || !isMap(account)) {
          expect(merge(defaults, account)).toEqual(account);
          return;
        }
        const keys = new Set([...Object.keys(defaults), ...Object.keys(account)]);
        const expected = [...keys].map((key) => {
          const [inherited, own] = [defaults[key], account[key]];
          return [
            key,
            inherited === undefined || own === undefined ? (own ?? inherited) : merge(inherited, own),
          ];
        });
        expect(merge(defaults, account)).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 200 },
    );
  });

  test('is idempotent, and changes nothing with empty or equal defaults', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (defaults, account) => {
        const once = mergeDefaults(nodeOf(defaults), nodeOf(account));
        const twice = mergeDefaults(nodeOf(defaults), once);
        expect(toValue(twice, new Set())).toEqual(toValue(once, new Set()));
        expect(merge({}, account)).toEqual(account);
        expect(merge(account, account)).toEqual(account);
      }),
      { numRuns: 200 },
    );
  });

  test('false replaces a section, and a section replaces false', () => {
    expect(merge({ traffic: { reread: '2h' } }, { traffic: false })).toEqual({ traffic: false });
    expect(merge({ traffic: false }, { traffic: { reread: '2h' } })).toEqual({ traffic: { reread: '2h' } });
  });

  test('merged values keep the path at which they were written', () => {
    const defaults = readYaml('defaults: {a: {b: 1}}', {}).root;
    const account = readYaml('account: {a: {c: 2}}', {}).root;
    if (!defaults || !account) throw new Error('expected valid YAML');
    const merged = mergeDefaults(locate(defaults, ['defaults']).node, locate(account, ['account']).node);
    expect(locate(merged, ['a']).node.path).toEqual(['account', 'a']);
    expect(locate(merged, ['a', 'b']).node.path).toEqual(['defaults', 'a', 'b']);
    expect(locate(merged, ['a', 'c']).node.path).toEqual(['account', 'a', 'c']);
  });
});
