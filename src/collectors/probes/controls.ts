// Asks the controls of a round, without a proxy, and stores, reads and logs what they show about the line of this machine.

import { forEachLimited } from '../../lib/parallel.ts';
import type { ControlResult, StoredControl } from '../../store/probe-store.ts';
import type { ReadContext, RunContext } from '../context.ts';
import { areControlsBlocked, errorCodeOf, isLineDown } from './evidence.ts';
import type { ControlAnswer } from './line-state.ts';
import { safeProbe } from './round.ts';
import { controlsOf, timeoutsOf } from './targets.ts';
import type { VantageOptions } from './vantage.ts';

export const readControls = async (context: ReadContext<VantageOptions>): Promise<StoredControl[]> => {
  const { account, options, store } = context;
  const labels = new Set(controlsOf(options).map(({ label }) => label));
  return (await store.probes.controls(account.name)).filter(({ url }) => labels.has(url));
};

/** The number of rounds in a row in which the line of this machine was at fault. */
export const lineDownRoundsOf = (controls: readonly StoredControl[]): number =>
  controls.length === 0 ? 0 : Math.min(...controls.map(({ unreachedRounds }) => unreachedRounds));

type Context = RunContext<VantageOptions>;
type Controls = readonly StoredControl[];

const LINE_DOWN =
  'no control gets an answer, and no proxy answers, so this machine or its line is at fault; proxywatch reports no fault of proxies until a control gets an answer or a proxy answers';
const LINE_WORKS = 'the line of this machine works again: a control gets an answer, or a proxy answers';
const BLOCKED =
  'no control gets an answer, but proxies answer, so the line of this machine works: the targets are down, or this machine must not connect to them without a proxy; in the second case, set other control.urls or control: false';
const NOT_BLOCKED = 'a control gets an answer again';

/** Returns nothing if the run ends before all controls are asked. */
export const askControls = async (
  { options, probe, signal }: Context,
  parallel: number,
): Promise<ControlAnswer[]> => {
  const answers: ControlAnswer[] = [];
  const controls = controlsOf(options);
  await forEachLimited(controls, parallel, async ({ label, target }) => {
    const result = await safeProbe(probe, { proxy: null, target, timeouts: timeoutsOf(options), signal });
    if (!result) return;
    const { failure } = result;
    const error = failure && errorCodeOf(failure.phase, failure.cause);
    answers.push({ url: label, isSuccessful: !failure, error });
  });
  return answers.length === controls.length ? answers : [];
};

/** Stored once at the end of a round, when it is known whether probes pass. Throws StoreError. */
export const saveControls = async (
  context: Context,
  before: Controls,
  results: readonly ControlResult[],
): Promise<void> => {
  if (results.length === 0) return;
  const { account, store, clock } = context;
  await store.probes.saveControls(account.name, results, clock.now());
  logChange(context, before, await readControls(context));
};

const logChange = ({ log }: Context, before: Controls, after: Controls): void => {
  const controls = after.map(({ url, error }) => ({ url, error }));
  const [wasDown, isDown] = [isLineDown(before), isLineDown(after)];
  const [wereBlocked, areBlocked] = [areControlsBlocked(before), areControlsBlocked(after)];
  if (isDown && !wasDown) log.warn({ controls }, LINE_DOWN);
  if (wasDown && !isDown) log.info({ controls }, LINE_WORKS);
  if (areBlocked && !wereBlocked) log.warn({ controls }, BLOCKED);
  if (wereBlocked && !areBlocked && !isDown) log.info({ controls }, NOT_BLOCKED);
};
