// Tests that the metrics reference has every family with its type and labels.

import { expect, test } from 'vitest';
import { ALERT_FAMILIES } from '../../src/alerts/families.ts';
import { FAMILIES, HISTORY_FAMILIES } from '../../src/collectors/index.ts';
import type { Family } from '../../src/lib/family.ts';
import { DAEMON_FAMILIES } from '../../src/metrics/daemon-families.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { codeWordsOf, tableRowsOf, textOf } from './documents.ts';

/** Describes a family in one line, such as `gauge proxywatch_proxies {account, product_type}`. */
const lineOf = (type: string, name: string, labels: readonly string[]): string =>
  `${type} ${name} {${labels.join(', ')}}`;

/** The type that the introduction gives to a family by its name, or its meaning. */
const typeOf = (name: string, meaning: string): string => {
  if (name.endsWith('_total')) return 'counter';
  return meaning.startsWith('Histogram of ') ? 'histogram' : 'gauge';
};

/** A section lists the labels that all of its families have in a separate line, and then those of its slices. */
const documented = textOf('docs/reference/metrics.md')
  .split(/^## /m)
  .flatMap((section) => {
    const [ofAll = '', ofSlices = ''] = (/^Labels: .*$/m.exec(section)?.[0] ?? '').split('Slices also have');
    const [common, slices] = [codeWordsOf(ofAll), codeWordsOf(ofSlices)];
    return tableRowsOf(section).flatMap((row) => {
      const lines = (column: string, labels: readonly string[]) =>
        codeWordsOf(row[column] ?? '').map((name) =>
          lineOf(typeOf(name, row.meaning ?? ''), name, [...common, ...labels]),
        );
      return [
        ...lines('family', codeWordsOf(row.labels ?? '')),
        ...lines('family of the account', []),
        ...lines('family of a slice', slices),
      ];
    });
  });

const existing = [
  ...[...FAMILIES, ...ALERT_FAMILIES, ...HISTORY_FAMILIES].map(({ type, name, labels }: Family) =>
    lineOf(type, name, ['account', ...labels]),
  ),
  ...DAEMON_FAMILIES.map(({ type, name, labels }: Family) => lineOf(type, name, labels)),
];

test('the reference has every family by name, type and labels, and no other', () => {
  const undocumented = existing.filter((line) => !documented.includes(line));
  expect(undocumented, 'add rows for these families to docs/reference/metrics.md').toEqual([]);
  expect(documented.toSorted(), 'docs/reference/metrics.md has other rows').toEqual(existing.toSorted());
});

test('all other families of the daemon are about the process and Node.js', () => {
  const known = new Set<string>(DAEMON_FAMILIES.map(({ name }) => name));
  const { families } = new DaemonMetrics({ version: '0.0.0', nodeVersion: '24.0.0' });
  const others = families.map(({ name }) => name).filter((name) => !known.has(name));
  expect(others.filter((name) => !/^(process|nodejs)_/.test(name))).toEqual([]);
});
