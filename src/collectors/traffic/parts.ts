// What can fail alone of a graph, and what the runs of an account remember of it.

import type { Contradiction } from '../../provider/resources/graph-totals.ts';
import { PartStates } from '../parts/part-states.ts';
import type { GraphOptions } from './options.ts';

/** In memory: after a restart everything is tried at once. */
export class TrafficState {
  readonly parts = new PartStates();
  /** Graphs whose newest window could not be used the last time. */
  readonly odd = new Set<string>();
  readonly #logged = new Set<string>();

  /** Whether the contradiction is seen in this graph for the first time. */
  isNews(graph: string, what: Contradiction): boolean {
    const key = JSON.stringify([graph, what]);
    const isNews = !this.#logged.has(key);
    this.#logged.add(key);
    return isNews;
  }
}

/** The names of a graph's parts, as the log and the status page have them; the whole account has no name. */
export const partsOf = ({ name }: Pick<GraphOptions, 'name'>) => {
  const graph = name || 'account';
  return { recent: graph, gaps: `${graph}, gaps`, deep: `${graph}, deep reread` };
};
