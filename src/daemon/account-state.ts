// What conditions of alerts know of an account besides the store.

import type { AccountState } from '../alerts/alert.ts';
import { seriesDropped } from '../collectors/common-families.ts';
import type { SampleSink } from '../lib/family.ts';

interface WatchedAccount {
  readonly client: Pick<AccountState, 'pace' | 'standing'>;
  readonly jobs: readonly {
    readonly collector: string;
    readonly seriesDropped: number | undefined;
  }[];
}

export const stateOf = ({ client, jobs }: WatchedAccount): AccountState => ({
  pace: client.pace,
  standing: client.standing,
  seriesDropped: new Map(
    jobs.flatMap((job) => (job.seriesDropped === undefined ? [] : [[job.collector, job.seriesDropped]])),
  ),
});

/** Tells what passes to the sink of series that were left out because of a cap. */
export const notingDropped = (sink: SampleSink, note: (dropped: number) => void): SampleSink => ({
  sample: (family, labels, value) => {
    if (family.name === seriesDropped.name && typeof value === 'number') note(value);
    sink.sample(family, labels, value);
  },
  histogram: (family, labels, value) => sink.histogram(family, labels, value),
  drain: () => sink.drain(),
});
