// Collects what alert conditions need to know of an account besides the store.

import type { AccountState } from '../alerts/alert.ts';
import { seriesDropped } from '../collectors/common-families.ts';
import type { SampleSink } from '../lib/family.ts';

interface AccountParts {
  readonly client: Pick<AccountState, 'pace' | 'endpointSummary'> & {
    isUnanswered(collector: string): boolean;
  };
  readonly jobs: readonly {
    readonly collector: string;
    readonly seriesDropped: number | undefined;
  }[];
}

export const accountStateOf = ({ client, jobs }: AccountParts): AccountState => ({
  pace: client.pace,
  endpointSummary: client.endpointSummary,
  unansweredCollectors: new Set(
    jobs.map(({ collector }) => collector).filter((collector) => client.isUnanswered(collector)),
  ),
  seriesDropped: new Map(
    jobs.flatMap((job) => (job.seriesDropped === undefined ? [] : [[job.collector, job.seriesDropped]])),
  ),
});

/** Wraps the sink and reports the number of series that a cap left out when it passes through. */
export const watchDroppedSeries = (sink: SampleSink, onDropped: (dropped: number) => void): SampleSink => ({
  sample: (family, labels, value) => {
    if (family.name === seriesDropped.name && typeof value === 'number') onDropped(value);
    sink.sample(family, labels, value);
  },
  histogram: (family, labels, value) => sink.histogram(family, labels, value),
  drain: () => sink.drain(),
});
