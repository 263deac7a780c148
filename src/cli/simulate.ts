// proxywatch simulate: the simulated provider alone.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ListenAddress } from '../config/network.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { CommandContext, ExitCode } from './context.ts';

export interface SimulateOptions {
  readonly listen: ListenAddress;
  readonly scenario?: string;
}

export const simulate = async (
  { signal, stdout }: CommandContext,
  { listen, scenario }: SimulateOptions,
): Promise<ExitCode> => {
  await using simulator = await startSimulator({
    now: () => Date.now(),
    ...listen,
    ...(scenario === undefined ? {} : { scenario: parse(readFileSync(scenario, 'utf8')) }),
  });
  const { baseUrl, publicKey, privateKey } = simulator;
  stdout.write(`simulated provider: ${baseUrl} (keys ${publicKey}, ${privateKey})\n`);
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
};
