// Finds slices by host name that may lose traffic to the provider's summaries of host names.

import type { GraphOptions } from './options.ts';

/** The provider documents that it may summarise many host names, and neither when nor how a filter treats it. */
const SUMMARY = '*.';

/** Describes the slices by host name without a slice of the summary that their host name may become a part of. */
export const summaryAssumptions = (graphs: readonly GraphOptions[]): string[] => {
  const hosts = graphs.flatMap(({ hostname }) => hostname ?? []);
  const summaries = hosts.filter((host) => host.startsWith(SUMMARY));
  const names = graphs
    .filter(({ hostname }) => hostname !== undefined && !hostname.startsWith(SUMMARY))
    .filter(({ hostname = '' }) => !summaries.some((summary) => isWithin(hostname, summary)))
    .map(({ name }) => name);
  return names.length === 0 ? [] : [describe(names)];
};

/** Whether the host name is the domain of the summary, or below it. */
const isWithin = (host: string, summary: string): boolean => `.${host}`.endsWith(summary.slice(1));

const describe = (names: readonly string[]): string =>
  `the provider counts each request under its full host name; if there are many, it may summarise them as *.host.tld, and slices by host name (${names.join(', ')}) lose this traffic. A slice of such a summary, as hostname: "*.host.tld", shows it`;
