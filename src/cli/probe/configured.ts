// Collects the proxies and urls of the configuration, that proxywatch probe takes by their names.

import type { ProbeUrl } from '../../collectors/probes/options.ts';
import { targetsOf } from '../../collectors/probes/targets.ts';
import { asProbed, type SourceOptions } from '../../collectors/proxy-sources/entries.ts';
import { proxiesInFiles } from '../../collectors/proxy-sources/file-source.ts';
import { type FoundProxy, proxyOf } from '../../collectors/proxy-sources/proxy-entry.ts';
import { urlLabel } from '../../collectors/url-label.ts';
import { closestMatch } from '../../config/closest-match.ts';
import type { Account, Settings } from '../../daemon/settings.ts';
import type { ProbeTarget } from '../../prober/probe.ts';
import { didYouMean, named, UsageError } from './usage-error.ts';

export interface ConfiguredProxy {
  readonly account: string;
  readonly found: FoundProxy;
}

export interface ConfiguredUrl {
  readonly label: string;
  readonly target: ProbeTarget;
}

export interface Configured {
  readonly storePath: string;
  readonly accounts: readonly string[];
  readonly proxies: readonly ConfiguredProxy[];
  readonly urls: readonly ConfiguredUrl[];
}

/** Throws UsageError if there is no account of this name. All accounts if it is undefined. */
export const configuredOf = (settings: Settings, name: string | undefined): Configured => {
  const { store, accounts } = settings;
  const chosen = accounts.filter((account) => name === undefined || account.name === name);
  if (name !== undefined && chosen.length === 0) throw new UsageError(noAccount(settings, name));
  return {
    storePath: store.path,
    accounts: chosen.map((account) => account.name),
    proxies: chosen.flatMap(proxiesOf),
    urls: chosen.flatMap(urlsOf),
  };
};

const noAccount = ({ accounts }: Settings, name: string): string => {
  const names = accounts.map((account) => account.name);
  return `--account: there is no account ${named(name)}${didYouMean(closestMatch(name, names))}`;
};

/** Those of the probes come first, because their entries can have certificates. */
const proxiesOf = ({ name, probes, proxy_tests: tests }: Account): ConfiguredProxy[] => {
  const lists: SourceOptions['proxies'][] = [
    probes && probes.proxies !== 'same' ? probes.proxies : [],
    tests ? asProbed(tests.proxies) : [],
  ];
  return lists.flat().flatMap((entry) => {
    if ('proxy' in entry) return proxyOf(entry).map((found) => ({ account: name, found }));
    return 'file' in entry ? proxiesInFiles(entry).map((found) => ({ account: name, found })) : [];
  });
};

const urlsOf = ({ probes, proxy_tests: tests }: Account): ConfiguredUrl[] => [
  ...(probes ? targetsOf(probes) : []),
  ...(tests ? tests.urls.map(toTarget) : []),
];

const toTarget = (each: ProbeUrl): ConfiguredUrl => ({
  label: urlLabel(each),
  target: { url: each.url, depth: 'http' },
});
