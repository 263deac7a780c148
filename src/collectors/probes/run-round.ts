// Runs a round: asks the controls, then probes the proxies that are due. Keeps TLS sessions for shorter handshakes.

import type { Clock } from '../../lib/clock.ts';
import { cronOf } from '../../lib/cron.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { TlsSessions } from '../../prober/probe.ts';
import type { ReadContext, RunContext } from '../context.ts';
import type { AttributedFault } from '../faults/attribution.ts';
import { causeLookup } from '../faults/failure-causes.ts';
import type { FoundProxy } from '../proxy-sources/proxy-entry.ts';
import { ResultBatch } from './batch.ts';
import { BudgetGate, ByteBudget, type BytePrice } from './budget/byte-budget.ts';
import { ByteEstimates, priceOf } from './budget/byte-prices.ts';
import { type ReadBudget, readByteBudget } from './budget/read-budget.ts';
import { askControls, readControls, saveControls } from './controls.ts';
import { areControlsBlocked } from './evidence.ts';
import { ExitCheck } from './exit/exit-check.ts';
import { LineState } from './line-state.ts';
import type { ProbeOptions } from './options.ts';
import { probeAll, stagesOf } from './probe-all.ts';
import { type ProbedProxy, readProbedProxies } from './probed-proxies.ts';
import { exitTargetOf, targetsOf } from './targets.ts';
import { type VantageOptions, vantageContext } from './vantage.ts';

/** A session takes some kB of memory. */
const MAX_SESSIONS = 2_000;
/** A new handshake shows the target's certificate at least this often. */
const MAX_AGE_MS = HOUR;

interface Kept {
  readonly session: Buffer;
  readonly expiresAt: number;
}

/** A full cache takes no other session: rounds repeat their order, so it would replace each one just before its use. */
export const createSessions = (clock: Pick<Clock, 'monotonic'>): TlsSessions => {
  const sessions = new Map<string, Kept>();
  return {
    get: (key) => {
      const found = sessions.get(key);
      if (!found) return undefined;
      if (found.expiresAt > clock.monotonic()) return found.session;
      sessions.delete(key);
      return undefined;
    },
    set: (key, session) => {
      const now = clock.monotonic();
      deleteExpired(sessions, now);
      const known = sessions.get(key);
      if (!known && sessions.size >= MAX_SESSIONS) return;
      // A resumed session brings a new ticket, which must not make the handshake older than it is.
      sessions.set(key, { session, expiresAt: known?.expiresAt ?? now + MAX_AGE_MS });
    },
  };
};

/** A map keeps its keys in the order in which they were added, so those that expire first are at its beginning. */
const deleteExpired = (sessions: Map<string, Kept>, now: number): void => {
  for (const [key, { expiresAt }] of sessions) {
    if (expiresAt > now) return;
    sessions.delete(key);
  }
};

/** What rounds keep in memory. */
export interface RoundState {
  readonly estimates: ByteEstimates;
  readonly sessions: TlsSessions;
  /** By proxy id: when the check of the exit was last tried (ms). */
  readonly exitTriedAt: Map<string, number>;
  /** When the log last said that the budget does not allow all probes (ms). */
  readonly budgetLog: { at: number };
  readonly budgetGate: BudgetGate;
}

export const createRoundState = (clock: Pick<Clock, 'monotonic'>): RoundState => ({
  estimates: new ByteEstimates(),
  sessions: createSessions(clock),
  exitTriedAt: new Map(),
  budgetLog: { at: Number.NEGATIVE_INFINITY },
  budgetGate: new BudgetGate(),
});

interface RoundInput {
  /** Proxies that sources have found, with their passwords. */
  readonly found: readonly FoundProxy[];
  /** The start of the run (ms). */
  readonly startedAt: number;
  /** The faults before the round. */
  readonly faults: readonly AttributedFault[];
}

/** Saves writes to the store. */
const PIECES_PER_WRITE = 16;

const NOT_ALL_ALLOWED =
  'max_bytes_per_day does not allow all probes through residential and mobile proxies, so these take turns';

/** Throws StoreError. Failing probes and the end of the run are no errors. */
export const runRound = async (
  context: RunContext<ProbeOptions>,
  state: RoundState,
  { found, startedAt, faults }: RoundInput,
): Promise<void> => {
  const vantage = vantageContext(context);
  const { options } = vantage;
  const before = await readControls(vantage);
  const line = new LineState((parallel) => askControls(vantage, parallel), areControlsBlocked(before));
  await line.askControls(options.parallel);
  const proxies = (await readProbedProxies(vantage, found)).filter(dueFilter(vantage));
  const targets = targetsOf(options);
  const batch = new ResultBatch(vantage, {
    startedAt,
    causeOf: causeLookup(faults),
    line,
  });
  const exits = await openExitCheck(context, state);
  const { estimates, sessions, budgetGate } = state;
  const metered = proxies.filter(({ isMetered }) => isMetered).length;
  const budget = await budgetGate.openRound(() =>
    openBudget(vantage, state, { metered, piecesPerWrite: PIECES_PER_WRITE }),
  );
  try {
    const round = { targets, budget, estimates, sessions, batch, exits, line };
    const stages = { stages: stagesOf(proxies, line), total: proxies.length };
    logLeftOut(vantage, state, await probeAll(vantage, round, stages));
  } finally {
    budgetGate.closeRound();
    await saveControls(vantage, before, line.controls);
  }
};

/** A proxy is due half an interval after its last probe: a restart repeats no probe, and an early slot is not lost. */
const dueFilter = ({ account, options, clock }: RunContext<VantageOptions>) => {
  const now = clock.now();
  const halfInterval = cronOf(options.schedule, account.schedule_time_zone).gap(now) / 2;
  return ({ lastTestedAt }: ProbedProxy): boolean =>
    lastTestedAt === null || lastTestedAt > now || lastTestedAt <= now - halfInterval;
};

interface BudgetUse {
  /** The number of metered proxies of the round; an infinite number spreads the budget over the day. */
  readonly metered: number;
  readonly piecesPerWrite: number;
}

export const openBudget = async (
  context: ReadContext<VantageOptions>,
  state: Pick<RoundState, 'estimates'>,
  { metered, piecesPerWrite }: BudgetUse,
): Promise<ByteBudget> => {
  const { account, store, clock } = context;
  const read = await readBudget(context, state, metered);
  return new ByteBudget({ account: account.name, probes: store.probes, clock, piecesPerWrite, ...read });
};

/** See `BudgetUse` for `metered`. */
export const readBudget = async (
  context: ReadContext<VantageOptions>,
  { estimates }: Pick<RoundState, 'estimates'>,
  metered: number,
): Promise<ReadBudget> => {
  const { account, options, clock } = context;
  const targets = priceOf(targetsOf(options), estimates);
  const exit = priceOfExit(options, targets.most, estimates);
  const proxy = { most: targets.most + exit.most, estimate: targets.estimate + exit.estimate };
  const interval = cronOf(options.schedule, account.schedule_time_zone).gap(clock.now());
  const exitsPerRound = options.exit ? Math.min(1, interval / options.exit.every) : 0;
  const round = metered * (targets.estimate + exitsPerRound * exit.estimate);
  return readByteBudget(context, { round, proxy });
};

/** Nothing, if exits are not checked because the budget does not even allow it for one proxy. */
const priceOfExit = (options: VantageOptions, mostOfTargets: number, estimates: ByteEstimates): BytePrice => {
  const exit = exitTargetOf(options);
  const price = priceOf(exit ? [exit] : [], estimates);
  const isAffordable = mostOfTargets + price.most <= options.max_bytes_per_day;
  return isAffordable ? price : { most: 0, estimate: 0 };
};

const openExitCheck = async (
  context: RunContext<ProbeOptions>,
  { exitTriedAt }: RoundState,
): Promise<ExitCheck> => {
  const { options, store } = context;
  const { account } = vantageContext(context);
  const seen = options.exit ? await store.probes.exits(account.name) : [];
  return new ExitCheck({
    target: exitTargetOf(options),
    every: options.exit?.every ?? 0,
    triedAt: exitTriedAt,
    forget: (id) => store.probes.forgetExit(account.name, id),
    seen: new Map(seen.map((each) => [each.proxy, each])),
    context,
  });
};

/** Logged once a day, because it is true in every round. */
const logLeftOut = (
  { options, clock, log }: RunContext<VantageOptions>,
  { budgetLog }: RoundState,
  leftOut: number,
): void => {
  if (leftOut === 0 || clock.now() - budgetLog.at < DAY) return;
  budgetLog.at = clock.now();
  log.warn({ proxies: leftOut, max_bytes_per_day: options.max_bytes_per_day }, NOT_ALL_ALLOWED);
};
