// Collects probes: connects through the proxies from this machine within the byte budget, and finds what is at fault.

import { REFUSAL_CLASSES } from '../../lib/refusal-codes.ts';
import type { Store } from '../../store/store.ts';
import type { Collector, Outcome } from '../collector.ts';
import { type AccountSettings, probesAccount, type ReadContext, type RunContext } from '../context.ts';
import { resultFamilies } from '../expose-results.ts';
import { readPreviousAttribution } from '../faults/stored-attribution.ts';
import { unknownWordsIn } from '../proxy-sources/mistakes.ts';
import { openSources, saveTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { refreshSources, TrackedSource } from '../proxy-sources/tracked-source.ts';
import { costOf } from './cost.ts';
import { readExits } from './current-state.ts';
import { logExitChanges } from './exit/exit-check.ts';
import { exposeProbes, families } from './expose.ts';
import { mistakesIn } from './mistakes.ts';
import { ProbesOnRequest } from './on-request.ts';
import { type ProbeOptions, probeOptions } from './options.ts';
import { createRoundState, type RoundState, runRound } from './run-round.ts';
import { exitTargetOf, labelsOf, longestTurnMs } from './targets.ts';
import { planProbes, probeNow } from './test-now.ts';
import { updateFaults } from './update-faults.ts';
import { vantageContext, vantageSources } from './vantage.ts';

interface ProbesState extends RoundState {
  readonly sources: readonly TrackedSource[];
  readonly onRequest: ProbesOnRequest;
}

export const probes: Collector<ProbeOptions, ProbesState> = {
  name: 'probes',
  description: 'Probes of proxies from the machine that runs proxywatch',
  endpoints: ['service/retrieve', 'proxy/search'],
  families: [...Object.values(resultFamilies), ...Object.values(families)],
  usesSettingsOf: ['proxy_tests'],
  showsDataOf: ['inventory', 'proxy_tests'],
  options: probeOptions,
  mistakes: mistakesIn,
  unknownWords: (options) => (options.proxies === 'same' ? [] : unknownWordsIn({ proxies: options.proxies })),
  // A proxy that does not answer makes every round this long.
  quietMs: longestTurnMs,
  cost: costOf,
  open,
  collect,
  testNow: { plan: planProbes, run: probeNow },
  probeOnRequest: (context, { onRequest }, subject) => onRequest.probe(context, subject),
  hasData,
  expose: exposeProbes,
};

/** A run can be a success without any result, because it may find no proxies to probe. */
async function hasData({ name }: AccountSettings, { tests }: Store): Promise<boolean> {
  return (await tests.calls(probesAccount(name))).ok.net > 0;
}

/** Creates the sources. They have not been read yet; the store has what they found earlier. */
async function open(context: ReadContext<ProbeOptions>): Promise<ProbesState> {
  const vantage = vantageContext(context);
  const { account, options, store, clock } = vantage;
  const exit = exitTargetOf(options);
  const labels = [...labelsOf(options), ...(exit ? [exit.label] : [])];
  const now = clock.now();
  await store.tests.open(account.name, now);
  await store.probes.open(account.name, labels, REFUSAL_CLASSES, now);
  const sources = vantageSources(context);
  await openSources(vantage, sources);
  const tracked = sources.map((source) => new TrackedSource(source));
  const round = createRoundState(clock);
  return { ...round, sources: tracked, onRequest: new ProbesOnRequest(round, tracked) };
}

async function collect(context: RunContext<ProbeOptions>, state: ProbesState): Promise<Outcome> {
  const vantage = vantageContext(context);
  const startedAt = context.clock.now();
  const refreshed = await refreshSources(vantage, state.sources, context.options.discover_every);
  await saveTestedProxies(vantage);
  state.onRequest.proxiesRefreshed();
  const previous = await readPreviousAttribution(vantage);
  const exits = await readExits(vantage);
  const found = state.sources.flatMap(({ proxies }) => proxies);
  try {
    await runRound(context, state, { found, startedAt, faults: previous.faults });
  } finally {
    // Results that were stored before an error also change faults.
    await updateFaults(context, startedAt, previous);
    logExitChanges(context.log, exits, await readExits(vantage));
  }
  // A source that fails keeps its last list, so its proxies are still probed.
  return { ...refreshed, isSuccessDespiteFailures: true };
}
