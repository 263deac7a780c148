// Reads the configured graphs from the store.

import type { Graph } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { type GraphOptions, graphsOf, type TrafficOptions } from './options.ts';

export interface StoredGraph {
  readonly settings: GraphOptions;
  readonly graph: Graph;
  /** The graph of the whole account. */
  readonly accountGraph: Graph | undefined;
}

/** Returns the graphs that were opened, the whole account first. */
export const storedGraphs = async ({
  account,
  options,
  store,
}: ReadContext<TrafficOptions>): Promise<StoredGraph[]> => {
  const graphsByName = new Map(
    (await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]),
  );
  const accountGraph = graphsByName.get('');
  return graphsOf(options).flatMap((settings) => {
    const graph = graphsByName.get(settings.name);
    return graph ? [{ settings, graph, accountGraph }] : [];
  });
};
