// Defines metric families of the same labels together, by their names, and writes their samples together.

import { counter, type Family, gauge, histogram, type SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';

type Families<N extends string, L extends string> = Readonly<Record<N, Family<L>>>;

/** Returns a function that makes families from their HELP texts. The keys are the names, without `prefix`. */
export const familiesBy =
  (make: typeof gauge, prefix = '') =>
  <L extends string, N extends string>(labels: readonly L[], helps: Readonly<Record<N, string>>) =>
    Object.fromEntries(
      Object.entries<string>(helps).map(([name, help]) => [name, make(prefix + name, help, labels)]),
    ) as Families<N, L>;

export const gauges = familiesBy(gauge);
export const counters = familiesBy(counter);
export const histograms = familiesBy(histogram);

/** Values of samples; null if they are not known. */
export const asNumber = (flag: boolean | null): number | null => (flag === null ? null : Number(flag));
export const asSeconds = (ms: number | null): number | null => (ms === null ? null : ms / SECOND);

type LabelOf<F> = F extends Family<infer L> ? L : never;
type Value = Parameters<SampleSink['sample']>[2];

/** Writes a sample of each family that has a value here. These families have the same labels. */
export const sampleAll = <F extends Families<string, string>, N extends keyof F & string>(
  sink: SampleSink,
  labels: Readonly<Record<LabelOf<F[N]>, string>>,
  families: F,
  values: Readonly<Record<N, Value>>,
): void => {
  for (const name in values) sink.sample<string>(families[name] as Family, labels, values[name]);
};
