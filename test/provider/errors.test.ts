// Kinds of errors, and that the provider's words are quoted without harm.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOfStatus, ProviderError, quote } from '../../src/provider/errors.ts';

describe('kindOfStatus', () => {
  it.each([
    [302, 'bad_response'],
    [400, 'rejected'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'not_found'],
    [405, 'rejected'],
    [409, 'rejected'],
    [422, 'rejected'],
    [429, 'rate_limited'],
    [499, 'auth'],
    [500, 'server'],
    [503, 'server'],
  ])('takes %i for %s', (status, kind) => {
    expect(kindOfStatus(status)).toBe(kind);
  });
});

describe('ProviderError', () => {
  it('says where, what and under which id', () => {
    const cause = new Error('why');
    const error = new ProviderError('server', 'analytics/graph', 'answered 500: Oops', {
      status: 500,
      requestId: 'r-1',
      cause,
    });
    expect(error.message).toBe('analytics/graph: answered 500: Oops (request r-1)');
    expect(error).toMatchObject({
      name: 'ProviderError',
      kind: 'server',
      status: 500,
      requestId: 'r-1',
      cause,
    });
  });
});

describe('quote', () => {
  it('makes one bounded line of it', () => {
    expect(quote('a\u0000b\r\n\u001b[31m c', [])).toBe('a b [31m c');
    expect(quote('x'.repeat(1_000), [])).toHaveLength(301);
  });

  it('leaves out user, password and query of URLs', () => {
    const text = 'no such URL: http://bob:hunter2@shop.example/a?token=s3cret now';
    expect(quote(text, [])).toBe('no such URL: http://shop.example/a?… now');
  });

  it('leaves out secrets that were sent, whole or in parts, wherever they stand', () => {
    const secret = fc.stringMatching(/^[a-z0-9]{8}$/);
    const words = fc.stringMatching(/^[A-Z ]{0,400}$/);
    const properties = fc.property(secret, secret, words, words, (user, password, before, after) => {
      const sent = [`192.0.2.1:8000:${user}:${password}`];
      for (const text of [`${before}${sent[0]}${after}`, `${before}${user} ${password}${after}`]) {
        expect(quote(text, sent)).not.toContain(password);
        expect(quote(text, sent)).not.toContain(user);
      }
    });
    fc.assert(properties);
  });
});
