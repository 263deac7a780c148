// Compares the set of ids with a plain set.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeenIds } from '../../src/lib/sorted.ts';

it('holds what a plain set holds, whatever the ids and their order', () => {
  const id = fc.oneof(
    fc.uuid(),
    fc.uuid().map((uuid) => uuid.toUpperCase()),
    fc.string(),
    fc.nat().map(String),
  );
  fc.assert(
    fc.property(fc.array(id), fc.array(id), fc.boolean(), (added, others, isSorted) => {
      const [ids, plain] = [new SeenIds(), new Set<string>()];
      for (const each of isSorted ? [...added.toSorted(), ...added.slice(0, 3)] : added) {
        ids.add(each);
        plain.add(each);
        expect(ids.size).toBe(plain.size);
      }
      for (const each of [...added, ...others]) expect(ids.has(each)).toBe(plain.has(each));
    }),
  );
});
