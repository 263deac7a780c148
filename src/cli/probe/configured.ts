// Collects the proxies and urls of the configuration, that proxywatch probe takes by their names, and defines the error of what
// the operator gave. Its message repeats only plain names: any other text may be a password or a token.

import type { ProbeUrl } from '../../collectors/probes/options.ts';
import { targetsOf } from '../../collectors/probes/targets.ts';
import { asProbed, type SourceOptions } from '../../collectors/proxy-sources/entries.ts';
import { proxiesInFiles } from '../../collectors/proxy-sources/file-source.ts';
import { type FoundProxy, proxyOf } from '../../collectors/proxy-sources/proxy-entry.ts';
import { urlLabel } from '../../collectors/url-label.ts';
import { closestMatch } from '../../config/closest-match.ts';
import type { Account, Settings } from '../../daemon/settings.ts';
import type { ProbeTarget } from '../../prober/probe.ts';

export interface ConfiguredProxy {
  readonly account: string;
  readonly found: FoundProxy;
}

interface ConfiguredUrl {
  readonly label: string;
  readonly target: ProbeTarget;
}

export type Configured = ReturnType<typeof configuredOf>;

/** Throws UsageError if there is no account of this name. All accounts if it is undefined. */
export const configuredOf = (settings: Settings, name: string | undefined) => {
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

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A name of a proxy, URL or account is short, and has no character that separates the parts of a line or an address. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

export const isRepeatable = (text: string): boolean => PLAIN_NAME.test(text);

/** Returns words that follow what is not known, such as an account. */
export const named = (text: string): string => (isRepeatable(text) ? `called ${text}` : 'of this name');

/** Returns the end of a sentence that suggests a name; empty without one. */
export const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
