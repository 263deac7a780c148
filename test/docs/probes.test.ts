// Tests that the pages about probes have every phase and cause, and the provider's codes as the prober reads them.

import { expect, test } from 'vitest';
import { CODE_RANGES } from '../../src/lib/refusal-codes.ts';
import { causeOfGroup } from '../../src/prober/causes.ts';
import { CAUSES, PHASES } from '../../src/prober/probe.ts';
import { codeWordsOf, tableRowsOf, textOf } from './documents.ts';

const PROBES = textOf('docs/design/probes.md');
const FAILURES = textOf('docs/design/probe-failures.md');
/** In the tables of a section. */
const rowsOf = (page: string, title: string) =>
  tableRowsOf(page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '');

test('every phase is described, in their order', () => {
  expect(rowsOf(PROBES, 'How a probe works').flatMap(({ phase = '' }) => codeWordsOf(phase))).toEqual([
    ...PHASES,
  ]);
});

test('every cause is described once', () => {
  const rows = rowsOf(FAILURES, 'Causes of failures').filter(({ meaning }) => meaning !== undefined);
  const causes = rows.flatMap(({ cause = '' }) => codeWordsOf(cause));
  expect(causes.toSorted()).toEqual([...CAUSES].toSorted());
});

/** `201x–203x, 208x` becomes 201, 202, 203 and 208. */
const classesIn = (cell: string): number[] =>
  [...cell.matchAll(/(\d{3})x(?:–(\d{3})x)?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  );

test('the codes have the causes and classes of the code', () => {
  const documented = rowsOf(FAILURES, 'Causes of failures')
    .filter(({ code }) => code !== undefined)
    .flatMap(({ code = '', cause = '', 'class of `proxywatch_probe_refusals_total`': refusal = '' }) =>
      classesIn(code).map((digits) => [digits, ...codeWordsOf(cause), ...codeWordsOf(refusal)].join(' ')),
    );
  const coded = CODE_RANGES.flatMap(([first, last, refusal]) =>
    Array.from(
      { length: last - first + 1 },
      (_, index) => `${first + index} ${causeOfGroup(first + index, refusal)} ${refusal}`,
    ),
  );
  expect(documented.toSorted()).toEqual(coded.toSorted());
});
