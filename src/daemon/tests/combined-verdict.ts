// Combines the verdict of the provider's testers about a subject with that of the probes from here.

import { ownSettingOf } from '../../collectors/faults/own-setting.ts';
import { isOfTestersAlone, type Verdict, type VerdictWord } from '../../collectors/proxy-tests/verdicts.ts';
import { minuteText } from '../../lib/minute-text.ts';
import { HOUR } from '../../lib/time.ts';
import type { Fault } from '../../store/test-store.ts';

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

/** What one side shows about a subject. Targets have no time of their newest results. */
interface Side {
  readonly verdict: Verdict;
  /** When the newest results came (ms). */
  readonly lastTestedAt?: number | null;
}

const FROM_TESTERS = 'from the provider’s testers';
const FROM_HERE = 'from here';

/** Without a fault, a pass that is older than the newest results of the other side by this may be over. */
const RECENT_MS = HOUR;

/** `here` is what the probes show. The words of its verdict name the proxy, if the subject is one. */
export const combineVerdicts = (tests: Side, here: Side): Verdict => {
  if (here.verdict.verdict === 'untested') return tests.verdict;
  if (tests.verdict.verdict === 'untested') return here.verdict;
  if (tests.verdict.verdict === 'ok' && here.verdict.verdict === 'ok') return bothPass(tests, here);
  const isWorseHere = rankOf(here.verdict) < rankOf(tests.verdict);
  const [worse, other, where] = isWorseHere ? [here, tests, FROM_TESTERS] : [tests, here, FROM_HERE];
  const { verdict } = worse;
  if (other.verdict.verdict !== 'ok' || (/pass(es|ed) /.test(verdict.text) && verdict.text.includes(where)))
    return verdict;
  const isRecent = (other.lastTestedAt ?? Number.POSITIVE_INFINITY) >= failingSince(worse);
  if (isRecent && !isWorseHere && verdict.fault && isRefusedToTesters(verdict.fault))
    return { ...verdict, text: refusedToTesters(verdict.fault) };
  return { ...verdict, text: beforeNext(verdict.text, passText(other, where, isRecent)) };
};

const failingSince = ({ verdict: { fault }, lastTestedAt }: Side): number =>
  fault?.since ?? (lastTestedAt ?? 0) - RECENT_MS;

const bothPass = (tests: Side, here: Side): Verdict => {
  const [testedAt, probedAt] = [tests, here].map(({ lastTestedAt }) => lastTestedAt ?? null);
  const ageMs = testedAt && probedAt ? probedAt - testedAt : 0;
  if (Math.abs(ageMs) <= RECENT_MS)
    return { verdict: 'ok', text: `It passes ${FROM_HERE} and ${FROM_TESTERS}.` };
  const [fromHere, fromTesters] = [
    passText(here, FROM_HERE, ageMs > 0),
    passText(tests, FROM_TESTERS, ageMs < 0),
  ];
  return { verdict: 'ok', text: `${fromHere} ${fromTesters}` };
};

const passText = ({ lastTestedAt }: Side, where: string, isRecent: boolean): string =>
  isRecent || !lastTestedAt ? `It passes ${where}.` : `It passed ${where} at ${minuteText(lastTestedAt)}.`;

/** The proxy passes from here, so its user name and password are right, at least those that the probes use. */
const isRefusedToTesters = (fault: Fault): boolean =>
  fault.kind === 'access' && isOfTestersAlone(fault) && ownSettingOf(fault.code ?? null) !== null;

const refusedToTesters = ({ subject, since, reason }: Fault): string =>
  `The proxy ${subject} refuses the provider’s testers since ${minuteText(since)}: ${reason}. It passes ${FROM_HERE}. Next: compare the user name and the password in \`proxy_tests\` with those at the provider, and check whether the provider lets its testers use this proxy.`;

/** Adds a sentence before the one that says what to do next. */
const beforeNext = (text: string, sentence: string): string => {
  const [said = '', ...next] = text.split(/(?= Next: )/);
  return [said, ` ${sentence}`, ...next].join('');
};

const rankOf = ({ verdict, isOwn }: Verdict): number => (isOwn ? OWN_RANK : ORDER.indexOf(verdict));
