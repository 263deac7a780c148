// The order of the long tests: begun last, the longest of them would go on alone beside an idle worker.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes a minute and more, the longest first. */
const LONGEST = ['test-budget', 'years', 'reconciliation-month', 'epoch', 'truth', 'kill'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}.`));
  return place === -1 ? LONGEST.length : place;
};
