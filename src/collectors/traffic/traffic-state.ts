// Keeps the state of traffic between the runs of an account, and names the parts of a graph.

import type { Contradiction } from '../../provider/resources/graph-totals.ts';
import { PartStates } from '../parts/part-states.ts';
import type { GraphOptions } from './options.ts';

/** The state in memory. After a restart, everything is tried at once. */
export class TrafficState {
  readonly parts = new PartStates();
  /** Graphs whose newest window was invalid in the last attempt. */
  readonly graphsWithInvalidWindow = new Set<string>();
  readonly #logged = new Set<string>();

  /** Records the contradiction, and returns whether this graph has it for the first time. */
  isNewContradiction(graph: string, what: Contradiction): boolean {
    const key = JSON.stringify([graph, what]);
    const isNew = !this.#logged.has(key);
    this.#logged.add(key);
    return isNew;
  }
}

/** Returns the names of a graph's parts in the log and on the status page. The graph of the whole account has no name. */
export const partNamesOf = ({ name }: Pick<GraphOptions, 'name'>) => {
  const graph = name || 'account';
  return { recent: graph, gaps: `${graph}, gaps`, deep: `${graph}, deep reread` };
};
