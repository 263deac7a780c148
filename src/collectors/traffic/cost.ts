// Estimates the cost of polling traffic.

import { type Cost, slotsPerDay } from '../cost.ts';
import { ACCOUNT_FAMILIES, listOf } from './families.ts';
import { bucketMsOf, graphsOf, type TrafficOptions } from './options.ts';
import { summaryAssumptions } from './summarised-hosts.ts';

/** A poll of a graph requests the trailing window, and at the slots of the deep reread a longer one. */
export const costOf = (options: TrafficOptions, zone: string, now: number): Cost => {
  const graphs = graphsOf(options);
  const windowsIn = (span: number): number => Math.ceil((span + bucketMsOf(options)) / options.window);
  const polls = graphs.map(({ schedule }) => slotsPerDay(schedule ?? options.schedule, zone, now));
  const deepPolls = graphs.length * slotsPerDay(options.deep_reread.schedule, zone, now);
  return {
    requestsPerDay:
      polls.reduce((sum, slots) => sum + slots, 0) * windowsIn(options.reread) +
      deepPolls * windowsIn(options.deep_reread.span),
    series: graphs.length * listOf(ACCOUNT_FAMILIES).length,
    assumptions: summaryAssumptions(options.graphs),
    warnings: [],
  };
};
