// Tests that the page about failures of probes says what each cause means, as the code decides it.

import { expect, test } from 'vitest';
import { errorCodeOf, errorSourceOf } from '../../src/collectors/probes/evidence.ts';
import { CODE_RANGES } from '../../src/lib/refusal-codes.ts';
import { causeOfGroup } from '../../src/prober/causes.ts';
import { CAUSES, type Cause, PHASES, type Phase } from '../../src/prober/probe.ts';
import { attributeProbes } from '../collectors/attribute-at-once.ts';
import { evidenceOf, NOW } from '../collectors/probes/probe-evidence.ts';
import { refusalOfVerdict, VERDICTS, verdictOf } from '../collectors/probes/verdicts.ts';
import { codeWordsOf, tableRowsOf, textOf } from './documents.ts';

const SECTION =
  textOf('docs/design/probe-failures.md').split('## What each cause means for the fault\n')[1] ?? '';
const FAILURES = PHASES.flatMap((phase) => CAUSES.map((cause): [Phase, Cause] => [phase, cause]));
const REFUSAL_COLUMN = 'class of `proxywatch_probe_refusals_total`';
const PLACES = { any: 'all', before: 'until `tunnel`', after: 'from `tls`' } as const;
const REFUSALS: Readonly<Record<string, string>> = {
  'own name': 'as the cause',
  other: '`other`, if the proxy sends a code',
};

const worded = (word: string): string => (word === 'none' ? word : `\`${word}\``);

test('the documented table is that of the tests', () => {
  const documented = tableRowsOf(SECTION.split('\n## ')[0] ?? '').map(({ cause = '', ...row }) => ({
    causes: codeWordsOf(cause),
    ...row,
  }));
  expect(documented).toEqual(
    VERDICTS.map(({ causes, place, source, refusal, fault, faultIfTestersPass }) => ({
      ...{ causes, phases: PLACES[place], '`error_source`': worded(source) },
      [REFUSAL_COLUMN]: REFUSALS[refusal] ?? worded(refusal),
      ...{ 'fault, alone': worded(fault), 'fault, testers pass': worded(faultIfTestersPass) },
    })),
  );
});

test.each(FAILURES)('%s %s has the documented source', (phase, cause) => {
  expect(errorSourceOf(phase, cause) ?? 'unknown').toBe(verdictOf(phase, cause).source);
});

const faultsOf = (phase: Phase, cause: Cause, testers: boolean | undefined): string =>
  attributeProbes(
    evidenceOf({
      ...{ proxies: 1, urls: ['a'], rounds: 2, failingControls: null },
      ...{ fails: () => errorCodeOf(phase, cause), testers: () => testers },
    }),
    { faults: [], inconclusive: [] },
    { faultAfter: 2, since: NOW },
  )
    .faults.map(({ kind }) => kind)
    .join() || 'none';

test.each(FAILURES)('%s %s is the documented fault', (phase, cause) => {
  const { fault, faultIfTestersPass } = verdictOf(phase, cause);
  expect(faultsOf(phase, cause, undefined)).toBe(fault);
  expect(faultsOf(phase, cause, true)).toBe(faultIfTestersPass);
});

test('a code of the provider has the documented class', () => {
  for (const [first, , refusal] of CODE_RANGES) {
    const cause = causeOfGroup(first, refusal);
    expect(refusalOfVerdict(verdictOf('tunnel', cause), cause, true)).toBe(refusal);
  }
});
