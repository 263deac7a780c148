// The configured graphs as the store has them.

import type { Graph } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { type GraphOptions, graphsOf, type TrafficOptions } from './options.ts';

export interface StoredGraph {
  readonly settings: GraphOptions;
  readonly graph: Graph;
  /** That of the whole account. */
  readonly whole: Graph | undefined;
}

/** Those that were opened, the whole account first. */
export const storedGraphs = async ({
  account,
  options,
  store,
}: ReadContext<TrafficOptions>): Promise<StoredGraph[]> => {
  const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
  const whole = known.get('');
  return graphsOf(options).flatMap((settings) => {
    const graph = known.get(settings.name);
    return graph ? [{ settings, graph, whole }] : [];
  });
};
