// Tests that only reveal() returns the value of a secret.

import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';

const VALUE = 'hunter2-do-not-print';

describe('a secret', () => {
  it.each<[string, (secret: Secret) => string]>([
    ['String()', String],
    ['a template', (secret) => `key ${secret}`],
    ['concatenation', (secret) => `${'key '}${secret}`],
    ['JSON', (secret) => JSON.stringify({ nested: [secret] })],
    ['inspect', (secret) => inspect({ nested: secret }, { depth: 9, showHidden: true })],
    ['console', (secret) => format('%s %o %j', secret, secret, secret)],
    ['an error message', (secret) => inspect(new Error(`cannot log in with ${secret}`))],
  ])('says [secret] as %s', (_, textOf) => {
    const secret = new Secret(VALUE);
    secret.reveal();
    expect(textOf(secret)).toContain('[secret]');
    expect(textOf(secret)).not.toContain(VALUE);
  });

  it('has no properties that a copy would contain', () => {
    const secret = new Secret(VALUE);
    secret.reveal();
    expect(Reflect.ownKeys(secret)).toEqual([]);
    expect(JSON.stringify({ ...secret })).toBe('{}');
  });

  it('is revealed when asked for', () => {
    expect(new Secret(VALUE).reveal()).toBe(VALUE);
  });
});

describe('a secret with a source', () => {
  it('has the current value', () => {
    let value = 'old';
    const secret = new Secret(() => value);
    expect(secret.reveal()).toBe('old');
    value = 'new';
    expect(secret.reveal()).toBe('new');
  });

  it('reports after a rejection whether there is a new value to try', () => {
    let cached = 'old';
    let source = 'old';
    const secret = new Secret((afresh) => {
      if (afresh) cached = source;
      return cached;
    });
    secret.reveal();
    expect(secret.refresh()).toBe(false);
    source = 'new';
    expect(secret.reveal()).toBe('old');
    expect(secret.refresh()).toBe(true);
    expect(secret.reveal()).toBe('new');
    expect(secret.refresh()).toBe(false);
  });

  it('passes on why it cannot be read', () => {
    const secret = new Secret(() => {
      throw new Error('no such file');
    });
    expect(() => secret.reveal()).toThrow('no such file');
  });
});
