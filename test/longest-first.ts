// Starts the longest tests first; otherwise one of them would run alone at the end, with one worker idle.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The long tests that take a minute or more, and the others that take many seconds; each the longest first. */
const LONGEST = [
  ...['test-budget', 'faults-traffic', 'faults-orders-and-places', 'faults-proxy-tests', 'faults-listings'],
  ...['years', 'month', 'figures', 'fields-traffic', 'kill', 'clients', 'fields-proxy-tests'],
  ...['blame', 'unlike-causes', 'tested-faults', 'released-schema', 'search', 'remote-write'],
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}.`));
  return place === -1 ? LONGEST.length : place;
};
