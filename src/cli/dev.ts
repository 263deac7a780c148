// proxywatch dev: prints the JSON Schema of the configuration for editors, and runs the simulated provider without a daemon.

import { once } from 'node:events';
import { configJsonSchema } from '../config/json-schema.ts';
import { loadConfig } from '../config/load.ts';
import type { ListenAddress } from '../config/network.ts';
import { settingsSchema } from '../daemon/settings.ts';
import { listenError } from '../http/listen-error.ts';
import { FIRST_PROXY_PORT, type Simulator, scenarioSchema, startSimulator } from '../simulator/simulator.ts';
import type { CommandContext, ExitCode } from './context.ts';

export const schema = async ({ stdout }: CommandContext): Promise<ExitCode> => {
  stdout.write(`${JSON.stringify(configJsonSchema(settingsSchema), null, 2)}\n`);
  return 0;
};

export interface SimulateOptions {
  readonly listen: ListenAddress;
  readonly scenario?: string;
  readonly proxies?: boolean;
}

/** Throws ConfigError with every mistake of the scenario, and an error that names the address if the server cannot listen on it. */
export const simulate = async (
  { env, signal, stdout }: CommandContext,
  { listen, scenario: file, proxies: hasProxies }: SimulateOptions,
): Promise<ExitCode> => {
  const scenario = file === undefined ? {} : { scenario: loadConfig(file, scenarioSchema, env).config };
  // The scenario is valid here, so only the server can fail.
  await using simulator = await startSimulator({
    ...{ now: () => Date.now(), ...listen, ...scenario },
    proxies: hasProxies ? { port: FIRST_PROXY_PORT } : undefined,
  }).catch((error: unknown) => {
    throw listenError(listen, error);
  });
  const { baseUrl, publicKey, privateKey, proxies } = simulator;
  stdout.write(
    `the simulated provider serves ${baseUrl} (public_key ${publicKey}, private_key ${privateKey}); stop it with Ctrl-C\n`,
  );
  if (proxies) stdout.write(`${proxiesLine(proxies, baseUrl)}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
};

const proxiesLine = ({ gateways, proxies }: NonNullable<Simulator['proxies']>, baseUrl: string): string => {
  const { host, port } = gateways.residential;
  return `${proxies.length} simulated proxies and 2 gateways listen on loopback, the residential gateway at ${host}:${port}; ${new URL(baseUrl).origin}/-/proxies lists them`;
};
