// Combines the verdict of the provider's testers about a subject with that of the probes from here.

import type { Verdict, VerdictWord } from '../../collectors/proxy-tests/verdicts.ts';

/** What matters most comes first. */
const ORDER: readonly VerdictWord[] = [
  ...([
    'proxy_at_fault',
    'unusable_here',
    'provider_at_fault',
    'target_at_fault',
    'tester_at_fault',
  ] as const),
  ...(['inconclusive', 'unattributed', 'ok', 'untested'] as const),
];

/** What belongs to the proxy's user comes before the faults of others. */
const OWN_RANK = ORDER.indexOf('unusable_here') + 0.5;

/** `here` is the verdict of the probes. Its words name the proxy, if the subject is one. */
export const combineVerdicts = (tests: Verdict, here: Verdict): Verdict => {
  if (here.verdict === 'untested') return tests;
  if (tests.verdict === 'untested') return here;
  if (tests.verdict === 'ok' && here.verdict === 'ok')
    return { verdict: 'ok', text: 'It passes from here and from the provider’s testers.' };
  const isWorseHere = rankOf(here) < rankOf(tests);
  const [worse, other, where] = isWorseHere
    ? [here, tests, 'from the provider’s testers']
    : [tests, here, 'from here'];
  const isSaid = other.verdict !== 'ok' || (/pass(es|ed) /.test(worse.text) && worse.text.includes(where));
  return {
    verdict: worse.verdict,
    text: isSaid ? worse.text : beforeNext(worse.text, `It passes ${where}.`),
  };
};

/** Adds a sentence before the one that says what to do next. */
const beforeNext = (text: string, sentence: string): string => {
  const [said = '', ...next] = text.split(/(?= Next: )/);
  return [said, ` ${sentence}`, ...next].join('');
};

const rankOf = ({ verdict, isOwn }: Verdict): number => (isOwn ? OWN_RANK : ORDER.indexOf(verdict));
