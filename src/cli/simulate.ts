// proxywatch simulate: runs the simulated provider without a daemon.

import { once } from 'node:events';
import { loadConfig } from '../config/load.ts';
import type { ListenAddress } from '../config/network.ts';
import { scenarioSchema, startSimulator } from '../simulator/simulator.ts';
import type { CommandContext, ExitCode } from './context.ts';

export interface SimulateOptions {
  readonly listen: ListenAddress;
  readonly scenario?: string;
}

/** Throws ConfigError with every mistake of the scenario, and the server's error if it cannot listen. */
export const simulate = async (
  { env, signal, stdout }: CommandContext,
  { listen, scenario: file }: SimulateOptions,
): Promise<ExitCode> => {
  await using simulator = await startSimulator({
    now: () => Date.now(),
    ...listen,
    ...(file === undefined ? {} : { scenario: loadConfig(file, scenarioSchema, env).config }),
  });
  const { baseUrl, publicKey, privateKey } = simulator;
  stdout.write(
    `the simulated provider serves ${baseUrl} (public_key ${publicKey}, private_key ${privateKey}); stop it with Ctrl-C\n`,
  );
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
};
