// Starts a simulated provider with a client that calls it over real HTTP.

import { Secret } from '../../src/lib/secret.ts';
import type { ProviderClient } from '../../src/provider/client.ts';
import type { Page } from '../../src/provider/pages.ts';
import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { FakeClock } from './fake-clock.ts';
import { connect } from './fake-provider.ts';

export interface SimulatedAccount extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly client: ProviderClient;
  readonly clock: FakeClock;
}

export const openAccount = async (scenario: ScenarioInput = {}): Promise<SimulatedAccount> => {
  const clock = new FakeClock('2026-07-10T12:34:56Z');
  const simulator = await startSimulator({ scenario: { pace: null, ...scenario }, now: () => clock.now() });
  const { publicKey, privateKey } = simulator;
  const keys = { publicKey: new Secret(publicKey), privateKey: new Secret(privateKey) };
  const client = connect(simulator, { keys });
  return {
    simulator,
    client,
    clock,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
    },
  };
};

/** Reads all pages of a listing and joins them into one. */
export const readAll = async <T>(pages: AsyncIterable<Page<T>>): Promise<Page<T> & { pages: number }> => {
  const all: Page<T>[] = [];
  for await (const page of pages) all.push(page);
  const last = all.at(-1);
  if (!last) throw new Error('a listing has at least one page');
  const items = all.flatMap((page) => page.items);
  const skipped = all.reduce((sum, page) => sum + page.skipped, 0);
  return { ...last, items, skipped, skippedIds: all.flatMap((page) => page.skippedIds), pages: all.length };
};
