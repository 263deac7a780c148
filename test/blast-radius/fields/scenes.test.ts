// Tests that the fields of every endpoint are changed whose answers proxywatch reads.

import { expect, test } from 'vitest';
import { COLLECTORS } from '../../../src/collectors/index.ts';
import { endpointsOf, SCENES } from './scenes.ts';

test('the scenes have every endpoint that a collector requests, and no other', () => {
  const requested = COLLECTORS.flatMap(({ endpoints }) => endpoints);
  const changed = Object.values(SCENES).flatMap(endpointsOf);
  expect([...new Set(changed)].toSorted()).toEqual([...new Set(requested)].toSorted());
});

test('the scenes have every collector', () => {
  const collectors = Object.values(SCENES).flatMap((scene) => scene.collectors);
  // The probes read the same answers as the proxy tests, by the same code. A collector without endpoints reads none.
  const names = COLLECTORS.filter(({ name, endpoints }) => name !== 'probes' && endpoints.length > 0).map(
    ({ name }) => name,
  );
  const missing = names.filter((name) => !collectors.includes(name));
  expect(missing, 'add these collectors to a scene in test/blast-radius/fields/scenes.ts').toEqual([]);
  expect(collectors.toSorted()).toEqual(names.toSorted());
});
