// Selects the accounts and collectors that a scrape asks for.

import type { SampleSink } from '../lib/family.ts';

/** Names to show; no names mean all. Samples without an account or without a collector are always shown. */
export interface Selection {
  readonly accounts?: readonly string[] | undefined;
  readonly collectors?: readonly string[] | undefined;
}

export interface SelectableLabels {
  readonly account?: string | undefined;
  readonly collector?: string | undefined;
}

export const selectsAll = ({ accounts = [], collectors = [] }: Selection): boolean =>
  accounts.length + collectors.length === 0;

export const isSelected = (
  { accounts, collectors }: Selection,
  { account, collector }: SelectableLabels,
): boolean => isNamed(accounts, account) && isNamed(collectors, collector);

/** Passes on the samples whose labels `account` and `collector` are selected. */
export const filterSink = (sink: SampleSink, selection: Selection): SampleSink => ({
  sample: (family, labels, value) => {
    if (isSelected(selection, labels)) sink.sample(family, labels, value);
  },
  histogram: (family, labels, value) => {
    if (isSelected(selection, labels)) sink.histogram(family, labels, value);
  },
  drain: () => sink.drain(),
});

const isNamed = (names: readonly string[] = [], name = ''): boolean =>
  names.length === 0 || name === '' || names.includes(name);
