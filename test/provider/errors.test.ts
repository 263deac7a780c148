// Tests the kinds of provider errors and the content of their messages.

import { describe, expect, it } from 'vitest';
import { kindOfStatus, ProviderError } from '../../src/provider/errors.ts';

describe('kindOfStatus', () => {
  it.each([
    [302, 'bad_response'],
    [400, 'rejected'],
    [401, 'auth'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [405, 'rejected'],
    [409, 'rejected'],
    [422, 'rejected'],
    [429, 'rate_limited'],
    [499, 'forbidden'],
    [500, 'server'],
    [503, 'server'],
  ])('maps status %i to %s', (status, kind) => {
    expect(kindOfStatus(status)).toBe(kind);
  });
});

describe('ProviderError', () => {
  it('names the endpoint, the problem and the request id', () => {
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
