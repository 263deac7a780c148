// Logs the faults that begin and end with a round. Many faults of one reason get one line together.

import { yieldEvery } from '../../lib/steps.ts';
import type { ProbeFailureDetails } from '../../store/probe-store.ts';
import type { RunContext } from '../context.ts';
import type { AttributedFault } from '../faults/attribution.ts';
import type { ProbeOptions } from './options.ts';
import { vantageContext } from './vantage.ts';

type Context = RunContext<ProbeOptions>;
type Faults = readonly AttributedFault[];

/** Kinds of faults whose subject is a proxy. */
export const PROXY_KINDS: ReadonlySet<string> = new Set(['proxy', 'access']);

/** A firewall of this machine is a fault of each proxy: thousands of lines would say the same. */
const MAX_LINES_PER_REASON = 5;
/** Lines of many reasons must not block the event loop. */
const LINES_PER_TURN = 50;

export const logFaults = async (context: Context, before: Faults, after: Faults): Promise<void> => {
  const { log } = context;
  const pause = yieldEvery(LINES_PER_TURN);
  for (const group of groupsOf(without(after, before))) {
    await pause();
    const [{ kind, reason }] = group;
    const failure = await lastFailure(context, group[0]);
    log.warn({ kind, ...subjectsOf(group), reason, ...failure }, 'fault found by probes');
  }
  for (const group of groupsOf(without(before, after))) {
    await pause();
    log.info({ kind: group[0].kind, ...subjectsOf(group) }, 'fault found by probes has ended');
  }
};

const without = (faults: Faults, others: Faults): Faults => {
  const keys = new Set(others.map(keyOf));
  return faults.filter((fault) => !keys.has(keyOf(fault)));
};

const keyOf = ({ kind, subject }: AttributedFault): string => `${kind} ${subject}`;

type Group = readonly [AttributedFault, ...AttributedFault[]];

/** Returns the faults of each line. */
const groupsOf = (faults: Faults): Group[] =>
  [...Map.groupBy(faults, ({ kind, reason }) => `${kind} ${reason}`).values()].flatMap((same): Group[] => {
    const [first, ...others] = same;
    if (!first) return [];
    return same.length > MAX_LINES_PER_REASON ? [[first, ...others]] : same.map((fault) => [fault]);
  });

const subjectsOf = (group: Group) =>
  group.length === 1
    ? { subject: group[0].subject }
    : { count: group.length, subjects: group.slice(0, MAX_LINES_PER_REASON).map(({ subject }) => subject) };

type ShownFailure = Pick<ProbeFailureDetails, 'url' | 'phase' | 'cause' | 'code' | 'requestId'>;

/** What the customer needs when they ask the provider's support about a proxy. */
const lastFailure = async (
  context: Context,
  { kind, subject }: AttributedFault,
): Promise<Partial<ShownFailure>> => {
  if (!PROXY_KINDS.has(kind)) return {};
  const { account, store } = vantageContext(context);
  const [last] = await store.probes.failures(account.name, subject);
  if (!last) return {};
  const { url, phase, cause, code, requestId } = last;
  return { url, phase, cause, code, requestId };
};
