// Tells which addresses the settings give the daemon: the names of its server, and what its alerts link to.

import type { LinkSettings } from '../alerts/links.ts';
import type { HostSettings } from '../http/host-check.ts';
import type { Settings } from './settings.ts';

/** Returns the settings that say which names the server has. */
export const hostSettings = (settings: Settings): HostSettings => ({
  allowedHosts: settings.server.allowed_hosts,
  externalUrls: [settings.server.external_url, ownPage(settings)].filter((url) => url !== undefined),
});

/** Returns the addresses that the alerts of this daemon link to. `docsUrl` is used if the configuration has none. */
export const alertLinks = (settings: Settings, docsUrl?: string): LinkSettings => ({
  docsUrl: settings.alerts.docs_url ?? docsUrl,
  externalUrl: settings.server.external_url ?? ownPage(settings),
  dashboardUrl: settings.alerts.dashboard_url,
});

/** Returns the address of this shard's status page. A daemon that is alone has only its external address. */
const ownPage = ({ server, sharding }: Settings): string | undefined =>
  sharding && sharding.count > 1 ? server.shards[sharding.index] : undefined;
