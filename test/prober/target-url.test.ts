// Tests that the address of a target is parsed once, and again when its secret changes.

import { expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { targetUrlOf } from '../../src/prober/make-probe.ts';

it('the address of a target follows its secret', () => {
  let text = 'https://example.com/a';
  const url = new Secret(() => text);
  const first = targetUrlOf({ url });
  expect(first).toMatchObject({
    host: 'example.com',
    port: 443,
    authority: 'example.com:443',
    isSecure: true,
  });
  expect(targetUrlOf({ url })).toBe(first);
  text = 'http://[::1]:8080/b';
  expect(targetUrlOf({ url })).toMatchObject({
    ...{ host: '::1', port: 8080, authority: '[::1]:8080', isSecure: false },
  });
});
