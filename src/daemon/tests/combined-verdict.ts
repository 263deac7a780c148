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

/** `here` is the verdict of the probes. Its words name the proxy, if the subject is one. */
export const combineVerdicts = (tests: Verdict, here: Verdict): Verdict => {
  if (here.verdict === 'untested') return tests;
  if (tests.verdict === 'untested') return here;
  if (tests.verdict === 'ok' && here.verdict === 'ok')
    return { verdict: 'ok', text: 'It passes from here and from the provider’s testers.' };
  const isWorseHere = ORDER.indexOf(here.verdict) < ORDER.indexOf(tests.verdict);
  const [worse, other, where] = isWorseHere
    ? [here, tests, 'from the provider’s testers']
    : [tests, here, 'from here'];
  const isSaid = other.verdict !== 'ok' || worse.text.includes(`passes ${where}`);
  return { verdict: worse.verdict, text: isSaid ? worse.text : `${worse.text} It passes ${where}.` };
};
