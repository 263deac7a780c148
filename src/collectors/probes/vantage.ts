// Turns an account's context into that of its vantage, an account of its own in the store, so that results never mix.

import type { OtherSettings } from '../collector.ts';
import { type AccountSettings, probesAccount, type ReadContext, type RunContext } from '../context.ts';
import { asProbed, type SourceOptions } from '../proxy-sources/entries.ts';
import type { ProxySource } from '../proxy-sources/source.ts';
import { sourcesOf } from '../proxy-sources/sources.ts';
import { configuredProxies } from '../proxy-sources/tested-proxies.ts';
import type { MatrixOptions } from '../proxy-tests/targets.ts';
import type { ProbeOptions } from './options.ts';
import { labelsOf } from './targets.ts';

/** The options with the list of proxies instead of `same`. */
export type VantageOptions = Omit<ProbeOptions, 'proxies'> & SourceOptions;

export const vantageContext = <C extends ReadContext<ProbeOptions>>(
  context: C,
): Omit<C, 'options' | 'account'> & ReadContext<VantageOptions> => ({
  ...context,
  account: { ...context.account, name: probesAccount(context.account.name) },
  options: vantageOptions(context.options, context.account),
});

export const vantageOptions = (
  options: ProbeOptions,
  { proxy_tests }: Pick<AccountSettings, 'proxy_tests'>,
): VantageOptions => {
  if (options.proxies !== 'same') return { ...options, proxies: options.proxies };
  return { ...options, proxies: proxy_tests ? asProbed(proxy_tests.proxies) : [] };
};

/** The context for readers of results of the provider's testers. The vantage is the only tester. */
export const asMatrix = ({
  options,
  ...context
}: ReadContext<VantageOptions>): ReadContext<MatrixOptions> => ({
  ...context,
  options: { ...options, tester_servers: [options.vantage] },
});

/** The sources of proxies. They are read as the account itself, whose customer the answers must belong to. */
export const vantageSources = (context: ReadContext<ProbeOptions>): ProxySource[] =>
  sourcesOf(vantageOptions(context.options, context.account)).map((source) => ({
    ...source,
    list: (runContext: RunContext<never>) => source.list({ ...runContext, account: context.account }),
  }));

/** Proxies that sources find are left out: the store knows them itself. */
export const probedNames = (options: ProbeOptions, settings: OtherSettings): Set<string> =>
  new Set([
    ...configuredProxies(vantageOptions(options, settings)).map(({ proxy }) => proxy.id),
    ...labelsOf(options),
    options.vantage,
  ]);
