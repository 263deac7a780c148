// Reads the state of the controls that are configured.

import type { StoredControl } from '../../store/probe-store.ts';
import type { ReadContext } from '../context.ts';
import { controlsOf } from './targets.ts';
import type { VantageOptions } from './vantage.ts';

export const readControls = async ({
  account,
  options,
  store,
}: ReadContext<VantageOptions>): Promise<StoredControl[]> => {
  const labels = new Set(controlsOf(options).map(({ label }) => label));
  return (await store.probes.controls(account.name)).filter(({ url }) => labels.has(url));
};

/** The number of rounds in a row in which the line of this machine was at fault. */
export const lineDownRoundsOf = (controls: readonly StoredControl[]): number =>
  controls.length === 0 ? 0 : Math.min(...controls.map(({ unreachedRounds }) => unreachedRounds));
