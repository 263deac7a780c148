// Proposes the setting server.external_url if notifications link to an address that was not configured.

import type { ReceiverOptions } from '../alerts/receivers/options.ts';
import { configuredPage, type Served, servedPage } from '../daemon/addresses.ts';
import type { Settings } from '../daemon/settings.ts';
import { loadWebConfig } from '../http/web-config/load.ts';

/** Returns how the server is to listen. Throws ConfigError if the file web.yml has a mistake. */
export const servedBy = ({ server: { listen, web_config_file: file } }: Settings): Served => ({
  scheme: file !== undefined && loadWebConfig(file).tls ? 'https' : 'http',
  port: listen.port,
});

export interface Proposal {
  /** What is the case, without a period at the end. */
  readonly found: string;
  readonly advice: string;
}

/** Returns undefined if the address is configured, or if no receiver gets links. */
export const proposeExternalUrl = (settings: Settings): Proposal | undefined => {
  const { evaluate, receivers } = settings.alerts;
  if (evaluate === false || !receivers.some(hasLinks) || configuredPage(settings) !== undefined)
    return undefined;
  const page = servedPage(settings, servedBy(settings)) ?? 'the address at which the daemon listens';
  return {
    found: `server.external_url is not set, so notifications link to ${page}`,
    advice: 'Set server.external_url to the address at which their readers open the status page.',
  };
};

const hasLinks = ({ type }: ReceiverOptions): boolean => type !== 'heartbeat';
