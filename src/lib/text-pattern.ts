// Searches text of somebody else for a regular expression of the operator, in time that grows only with the text.

import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/**
 * The number of steps of a compiled pattern. A search tries every step at every character at most, so a pattern of this
 * size searches 64 kB in about 0.3 s at worst. Usual patterns have fewer than 100 steps, and take far less than 1 ms.
 */
const MAX_STEPS = 300;

/** The message says what is expected, for the configuration and the command line. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

export class TextPattern {
  /** Also tells reloads whether the pattern has changed. */
  readonly source: string;
  readonly #compiled: RE2JS;

  /** Throws PatternError. */
  constructor(source: string) {
    this.source = source;
    this.#compiled = compile(source);
    const steps = this.#compiled.programSize();
    if (steps > MAX_STEPS)
      throw new PatternError(`${KIND} of at most ${MAX_STEPS} steps (this has ${steps})`);
  }

  isIn(text: string): boolean {
    return this.#compiled.test(text);
  }
}

const KIND = 'a regular expression in RE2 syntax';

/** The library takes 2 MB of memory, so it is loaded when the first pattern is used. */
const require = createRequire(import.meta.url);

const compile = (source: string): RE2JS => {
  const { RE2JS, RE2JSException } = require('re2js') as typeof import('re2js');
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    throw new PatternError(`${KIND}, without lookaheads and backreferences (${reason})`);
  }
};
