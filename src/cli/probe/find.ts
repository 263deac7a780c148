// Finds the proxy and the target that the operator names. Errors repeat only plain names: other text may be a password.

import { probesAccount } from '../../collectors/context.ts';
import { NO_ANSWER, NO_TLS } from '../../collectors/probes/mistakes.ts';
import type { ProbeUrl } from '../../collectors/probes/options.ts';
import { isHttps, type LabelledTarget, readCaFile, targetsOf } from '../../collectors/probes/targets.ts';
import { asProbed, type SourceOptions } from '../../collectors/proxy-sources/entries.ts';
import { proxiesInFiles } from '../../collectors/proxy-sources/file-source.ts';
import { type FoundProxy, proxyOf } from '../../collectors/proxy-sources/proxy-entry.ts';
import { parseProbeLine } from '../../collectors/proxy-sources/proxy-line.ts';
import { urlLabel } from '../../collectors/url-label.ts';
import { closestMatch } from '../../config/closest-match.ts';
import type { Account, Settings } from '../../daemon/settings.ts';
import { Secret } from '../../lib/secret.ts';
import type { TextPattern } from '../../lib/text-pattern.ts';
import type { Depth, ProbeProxy, ProbeTarget } from '../../prober/probe.ts';
import { StoreError } from '../../store/errors.ts';
import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import { openSqliteStoreReadOnly } from '../../store/sqlite/sqlite-store.ts';

interface ConfiguredProxy {
  readonly account: string;
  readonly found: FoundProxy;
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

const urlsOf = ({ probes, proxy_tests: tests }: Account): LabelledTarget[] => [
  ...(probes ? targetsOf(probes) : []),
  ...(tests ? tests.urls.map(toTarget) : []),
];

const toTarget = (each: ProbeUrl): LabelledTarget => ({
  label: urlLabel(each),
  target: { url: each.url, depth: 'http' },
});

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A name of a proxy, URL or account is short, and has no character that separates the parts of a line or an address. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

const isRepeatable = (text: string): boolean => PLAIN_NAME.test(text);

/** Returns words that follow what is not known, such as an account. */
const named = (text: string): string => (isRepeatable(text) ? `called ${text}` : 'of this name');

/** Returns the end of a sentence that suggests a name; empty without one. */
const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean ${suggestion}?`;

/**
 * A name of the configuration comes before a line, because the id of a proxy without a name is `host:port`. `isLine`
 * takes the text for a line only. Throws UsageError, without any text that could be a password.
 */
export const findProxy = async (
  text: string,
  configured: Configured | undefined,
  isLine: boolean,
): Promise<ProbeProxy> => {
  const found = isLine ? [] : (configured?.proxies ?? []).filter(({ found }) => isCalled(found, text));
  if (found.length > 0) return theOnly(found);
  if (!isLine && configured && (await isInStore(text, configured))) throw new UsageError(WITHOUT_PASSWORD);
  if (isLine && text === '') throw new UsageError(NO_LINE);
  const line = parseProbeLine(text);
  if (!('error' in line)) return line;
  throw new UsageError(
    isLine
      ? `standard input: ${line.error}`
      : `proxy: ${/[:@]/.test(text) ? line.error : unknown(text, configured)}`,
  );
};

const NO_LINE =
  'standard input: it is empty; expected the line of a proxy, such as host:port:username:password';

const WITHOUT_PASSWORD =
  'proxy: a source of proxies has found this proxy. Its password is only in the memory of the daemon, so give the line of the proxy instead';

const isCalled = ({ proxy }: ConfiguredProxy['found'], text: string): boolean =>
  proxy.id === text || proxy.name === text || proxy.providerId === text;

/** The same proxy can be in the list of the tests and in that of the probes. */
const theOnly = (all: readonly ConfiguredProxy[]): ProbeProxy => {
  const accounts = new Set(all.map(({ account }) => account));
  if (accounts.size > 1)
    throw new UsageError(
      `proxy: several accounts have this proxy: ${[...accounts].join(', ')}. Choose one with --account`,
    );
  const [first] = all;
  const line = first ? parseProbeLine(first.found.line.reveal()) : { error: 'there is no such proxy' };
  if ('error' in line)
    throw new UsageError(`proxy: the line in the configuration has a mistake: ${line.error}`);
  return { ...line, ca: readCaFile(first?.found.caFile) };
};

/** Whether the daemon knows a proxy of this id from a service, a search or a file. */
const isInStore = async (id: string, { storePath, accounts }: Configured): Promise<boolean> => {
  try {
    using store = openSqliteStoreReadOnly(storePath);
    for (const account of accounts.flatMap((name) => [name, probesAccount(name)])) {
      if (await store.sourceProxies.find(account, TESTED_PROXIES, id)) return true;
    }
  } catch (error) {
    // Without a store that can be read, no proxy is known from it.
    if (!(error instanceof StoreError)) throw error;
  }
  return false;
};

const unknown = (text: string, configured: Configured | undefined): string => {
  if (!configured)
    return `${isRepeatable(text) ? text : 'the text'} is not a line such as host:port:username:password. To name a proxy of the configuration, add --config`;
  const names = configured.proxies.flatMap(({ found: { proxy } }) => [proxy.name, proxy.id]);
  return `the configuration has no proxy ${named(text)}${didYouMean(closestMatch(text, names))}`;
};

/** What the options say about the answer of the target. */
export interface Wanted {
  /** That of the configured url if not given, or else http. */
  readonly depth?: Depth;
  readonly status?: readonly number[];
  readonly header?: Readonly<Record<string, TextPattern>>;
  readonly body?: TextPattern;
}

/** Throws UsageError. */
export const findTarget = (text: string, configured: Configured | undefined): ProbeTarget => {
  const found = configured?.urls.find(({ label }) => label === text);
  if (found) return found.target;
  if (/^https?:\/\//i.test(text)) return { url: new Secret(validAddress(text)), depth: 'http' };
  if (!configured || /:\/\//.test(text))
    throw new UsageError(
      'url: expected an address that begins with https:// or http://, or --config and the name of a URL',
    );
  const labels = configured.urls.map(({ label }) => label);
  throw new UsageError(
    `url: the configuration has no URL ${named(text)}${didYouMean(closestMatch(text, labels))}`,
  );
};

const validAddress = (text: string): string => {
  if (URL.canParse(text)) return text;
  throw new UsageError('url: the address has a mistake; expected one such as https://www.example.com/');
};

/** Throws UsageError if the depth could not show what is expected. */
export const withExpectations = (target: ProbeTarget, wanted: Wanted): ProbeTarget => {
  const { status, header, body } = wanted;
  const depth = depthOf(target, wanted);
  if (depth === 'tls' && !isHttps(target.url)) throw new UsageError(`--depth: ${NO_TLS}`);
  // A smaller depth than that of the configuration leaves its expectations out.
  if (depth !== 'http') return { ...target, depth, expect: undefined };
  const expect = {
    status: status ?? target.expect?.status,
    headers: header ?? target.expect?.headers,
    body: body ?? target.expect?.body,
  };
  return { ...target, depth, expect };
};

/** An expected answer needs a request, so it raises the depth of a configured URL. */
const depthOf = (target: ProbeTarget, { depth, status, header, body }: Wanted): Depth => {
  const [option] = Object.entries({ status, header, body }).flatMap(([name, value]) => (value ? [name] : []));
  if (option === undefined) return depth ?? target.depth;
  if (depth === undefined || depth === 'http') return 'http';
  throw new UsageError(`--${option}: ${NO_ANSWER}; use --depth http`);
};
