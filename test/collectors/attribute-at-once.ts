// Attributes failures without pauses, for tests that compare many attributions.

import { attributeFaults as faultsInSteps } from '../../src/collectors/faults/attribution.ts';
import { changedCauses as changesInSteps } from '../../src/collectors/faults/failure-causes.ts';
import { attributeProbes as probesInSteps } from '../../src/collectors/probes/faults/attribute-probes.ts';
import { attributeTests as testsInSteps } from '../../src/collectors/proxy-tests/attribute-tests.ts';
import { runAtOnce, type Steps } from '../../src/lib/steps.ts';

const atOnce =
  <A extends readonly unknown[], T>(inSteps: (...args: A) => Steps<T>) =>
  (...args: A): T =>
    runAtOnce(inSteps(...args));

export const attributeFaults = atOnce(faultsInSteps);
export const attributeProbes = atOnce(probesInSteps);
export const attributeTests = atOnce(testsInSteps);
export const changedCauses = atOnce(changesInSteps);
