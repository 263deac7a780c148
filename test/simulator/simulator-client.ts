// Starts a simulator on its own fake clock for tests, and sends it requests over HTTP.

import { type ScenarioInput, type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { FakeClock } from '../support/fake-clock.ts';

export type Answer = Record<string, unknown> & { data: Row & Row[]; message: string; total_count: number };
export type Row = Record<string, unknown> & { intervals: Row[] };

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
}

export interface SimulatorClient extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly clock: FakeClock;
  get(path: string, query?: Record<string, string | number>): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
}

export const NOW = '2026-07-10T12:34:56Z';

export const openSimulator = async (
  scenario: ScenarioInput = {},
  now: string = NOW,
): Promise<SimulatorClient> => {
  const clock = new FakeClock(now);
  const simulator = await startSimulator({ scenario: { pace: null, ...scenario }, now: () => clock.now() });
  const keys = { 'x-api-public-key': simulator.publicKey, 'x-api-private-key': simulator.privateKey };
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const response = await fetch(`${simulator.baseUrl}/public/user/${path}`, { ...init, headers: keys });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
  };
  return {
    simulator,
    clock,
    get: (path, query = {}) => {
      const text = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
      return ask(`${path}?${new URLSearchParams(text)}`, {});
    },
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
};

/** Returns the sum of a field over rows. */
export const sumOf = (rows: readonly Row[], field: string): number =>
  rows.reduce((sum, row) => sum + Number(row[field]), 0);
