// Tests that the address of a view leads back to the view, whatever its subject is called.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressOf, VIEWS, viewOf } from '../../src/page/address.ts';

const parametersOf = (address: string): Record<string, string> =>
  Object.fromEntries(new URL(address, 'http://localhost/').searchParams);

it('an address leads to its view', () => {
  // URLs have no lone surrogates.
  const texts = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(fc.constantFrom(...VIEWS), texts, texts, (view, account, id) => {
      const parameters = parametersOf(addressOf({ account, view, id }));
      expect(viewOf(parameters, parameters.account ?? '')).toEqual({ account, view, id });
    }),
  );
});

it('an address without a view is that of the account, and an unknown view has none', () => {
  expect(viewOf({}, 'main')).toEqual({ account: 'main', view: 'account', id: '' });
  expect(viewOf({ view: 'toString' }, 'main')).toBeNull();
  expect(viewOf({ view: 'user', id: ['a', 'b'] }, 'main')).toBeNull();
});
