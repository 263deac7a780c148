// Tells which addresses the settings give the daemon and its alerts, and proposes server.external_url if it is needed.

import { hostname } from 'node:os';
import type { LinkSettings } from '../alerts/annotations.ts';
import { ANY_HOST } from '../config/network.ts';
import type { HostSettings } from '../http/host-check.ts';
import { loadWebConfig } from '../http/web-config/load.ts';
import type { Settings } from './settings.ts';

/** Returns the settings that say which names the server has. */
export const hostSettings = (settings: Settings): HostSettings => ({
  allowedHosts: settings.server.allowed_hosts,
  externalUrls: [settings.server.external_url, ownPage(settings)].filter((url) => url !== undefined),
});

/** How the server listens. */
export interface Served {
  readonly scheme: 'http' | 'https';
  readonly port: number;
}

/** Returns the addresses that alerts link to: configured ones, or else `docsUrl` and what the daemon serves, if known. */
export const alertLinks = (settings: Settings, docsUrl?: string, served?: Served): LinkSettings => ({
  docsUrl: settings.alerts.docs_url ?? docsUrl,
  externalUrl: configuredPage(settings) ?? (served && servedPage(settings, served)),
  dashboardUrl: settings.alerts.dashboard_url,
});

const configuredPage = (settings: Settings): string | undefined =>
  settings.server.external_url ?? ownPage(settings);

/**
 * Returns the address of the status page on this machine; undefined if the system is still to choose the port. A daemon that
 * listens on all addresses is reached by an allowed name, or by the name of its machine or container.
 */
const servedPage = ({ server }: Settings, { scheme, port }: Served): string | undefined => {
  const { listen, allowed_hosts: allowed } = server;
  const at = (host: string) => URL.parse(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/`);
  const isAnyAddress = ANY_ADDRESSES.includes(at(listen.host)?.hostname ?? '');
  const host = isAnyAddress ? (allowed.find((name) => name !== ANY_HOST) ?? hostname()) : listen.host;
  return port === 0 ? undefined : at(host)?.href;
};

const ANY_ADDRESSES = ['0.0.0.0', '[::]'];

/** Returns the address of this shard's status page. A daemon that is alone has only its external address. */
const ownPage = ({ server, sharding }: Settings): string | undefined =>
  sharding && sharding.count > 1 ? server.shards[sharding.index] : undefined;

/** Returns how the server is to listen. Throws ConfigError if the file web.yml has a mistake. */
export const servedBy = ({ server: { listen, web_config_file: file } }: Settings): Served => ({
  scheme: file !== undefined && loadWebConfig(file).tls ? 'https' : 'http',
  port: listen.port,
});

/** Returns undefined if the address is configured, or if no receiver gets links. */
export const proposeExternalUrl = (settings: Settings) => {
  const { evaluate, receivers } = settings.alerts;
  if (
    evaluate === false ||
    receivers.every(({ type }) => type === 'heartbeat') ||
    configuredPage(settings) !== undefined
  )
    return undefined;
  const page = servedPage(settings, servedBy(settings)) ?? 'the address at which the daemon listens';
  return {
    /** Without a period at the end. */
    found: `server.external_url is not set, so notifications link to ${page}`,
    advice: 'Set server.external_url to the address at which their readers open the status page.',
  };
};
