// Finds what the readers of results need: for the tests by the provider's testers, and for the probes from here.

import type { ReadContext } from '../../collectors/context.ts';
import { asMatrix, type VantageOptions, vantageContext } from '../../collectors/probes/vantage.ts';
import type { MatrixOptions } from '../../collectors/proxy-tests/targets.ts';
import type { Clock } from '../../lib/clock.ts';
import type { App } from '../app.ts';

export type MatrixContext = ReadContext<MatrixOptions>;

export interface Vantages {
  /** Undefined if the account has no proxy tests. */
  readonly tests: MatrixContext | undefined;
  /** Undefined if the account has no probes. */
  readonly probes: MatrixContext | undefined;
  /** The same, with the settings of the probes. */
  readonly vantage: ReadContext<VantageOptions> | undefined;
}

export const vantagesOf = (app: App, clock: Clock, name: string): Vantages => {
  const running = app.accounts.find((each) => each.name === name);
  if (!running) return { tests: undefined, probes: undefined, vantage: undefined };
  const { context: account, settings } = running;
  const { proxy_tests: tests, probes } = settings;
  const common = { account, store: app.store, clock };
  const vantage = probes ? vantageContext({ ...common, options: probes }) : undefined;
  return {
    tests: tests ? { ...common, options: tests } : undefined,
    probes: vantage && asMatrix(vantage),
    vantage,
  };
};
