// Starts the longest tests first; otherwise one of them would run alone at the end, with one worker idle.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The long tests that take a minute or more, and the others that take many seconds; each the longest first. */
const LONGEST = [
  ...['test-budget', 'faults-traffic', 'faults-orders-and-places', 'faults-proxy-tests', 'faults-listings'],
  ...['years', 'month', 'figures', 'fields-traffic', 'search', 'rules', 'page', 'kill', 'container'],
  ...['clients', 'fields-proxy-tests', 'secrets', 'blame', 'prometheus', 'readme', 'truth'],
  ...['remote-write', 'unlike-causes', 'tested-faults', 'released-schema', 'backups', 'exposition'],
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
