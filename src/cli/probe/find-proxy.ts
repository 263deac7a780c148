// Finds the proxy that the operator names: in the configuration, or as a line.

import { probesAccount } from '../../collectors/context.ts';
import { readCaFile } from '../../collectors/probes/targets.ts';
import { parseProbeLine } from '../../collectors/proxy-sources/proxy-line.ts';
import { closestMatch } from '../../config/closest-match.ts';
import type { ProbeProxy } from '../../prober/probe.ts';
import { StoreError } from '../../store/errors.ts';
import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import { openSqliteStoreReadOnly } from '../../store/sqlite/sqlite-store.ts';
import type { Configured, ConfiguredProxy } from './configured.ts';
import { didYouMean, isRepeatable, named, UsageError } from './usage-error.ts';

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
      : `proxy: ${looksLikeLine(text) ? line.error : unknown(text, configured)}`,
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

const looksLikeLine = (text: string): boolean => /[:@]/.test(text);

const unknown = (text: string, configured: Configured | undefined): string => {
  if (!configured)
    return `${isRepeatable(text) ? text : 'the text'} is not a line such as host:port:username:password. To name a proxy of the configuration, add --config`;
  const names = configured.proxies.flatMap(({ found: { proxy } }) => [proxy.name, proxy.id]);
  return `the configuration has no proxy ${named(text)}${didYouMean(closestMatch(text, names))}`;
};
