// proxywatch simulate: runs the simulated provider without a daemon.

import { once } from 'node:events';
import { loadConfig } from '../config/load.ts';
import type { ListenAddress } from '../config/network.ts';
import { listenError } from '../http/listen-error.ts';
import { scenarioSchema, startSimulator } from '../simulator/simulator.ts';
import type { CommandContext, ExitCode } from './context.ts';

export interface SimulateOptions {
  readonly listen: ListenAddress;
  readonly scenario?: string;
}

/** Throws ConfigError with every mistake of the scenario, and an error that names the address if the server cannot listen on it. */
export const simulate = async (
  { env, signal, stdout }: CommandContext,
  { listen, scenario: file }: SimulateOptions,
): Promise<ExitCode> => {
  const scenario = file === undefined ? {} : { scenario: loadConfig(file, scenarioSchema, env).config };
  // The scenario is valid here, so only the server can fail.
  await using simulator = await startSimulator({ now: () => Date.now(), ...listen, ...scenario }).catch(
    (error: unknown) => {
      throw listenError(listen, error);
    },
  );
  const { baseUrl, publicKey, privateKey } = simulator;
  stdout.write(
    `the simulated provider serves ${baseUrl} (public_key ${publicKey}, private_key ${privateKey}); stop it with Ctrl-C\n`,
  );
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
};
