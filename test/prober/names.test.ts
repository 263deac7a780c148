// Tests which lookups of names start, which are shared, and how long their answers are kept.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, Names } from '../../src/prober/names.ts';
import { FakeClock } from '../support/fake-clock.ts';

const HERE: Answer = ['192.0.2.1'];
const KEPT_MS = 5_000;

/** Looks names up when the test says so, and writes down what happens. */
class Resolver {
  readonly clock = new FakeClock(0);
  readonly log: string[] = [];
  readonly running = new Map<string, (answer: Answer) => void>();
  readonly names = new Names(this.clock, (host, onEnd) => {
    this.log.push(`looks up ${host}`);
    this.running.set(host, onEnd);
  });

  /** Returns a function that ends the wait. */
  ask(host: string, asker: string): () => void {
    return this.names.ask(host, {
      onStart: () => this.log.push(`${asker} starts`),
      onEnd: (answer) => this.log.push(`${asker} gets ${answer instanceof Error ? 'a failure' : answer}`),
    });
  }

  answer(host: string, answer: Answer = HERE): void {
    const onEnd = this.running.get(host);
    this.running.delete(host);
    onEnd?.(answer);
  }

  /** Returns what happened since the last call. */
  take(): string[] {
    return this.log.splice(0);
  }
}

describe('lookups of one name', () => {
  it('are shared while they run, whatever the letter case', () => {
    const resolver = new Resolver();
    resolver.ask('gate.example.com', 'p1');
    resolver.ask('Gate.Example.COM', 'p2');
    resolver.answer('gate.example.com');
    expect(resolver.take()).toEqual([
      ...['p1 starts', 'looks up gate.example.com', 'p2 starts'],
      ...['p1 gets 192.0.2.1', 'p2 gets 192.0.2.1'],
    ]);
  });

  it('share an answer for a few seconds', () => {
    const resolver = new Resolver();
    resolver.ask('gate.example.com', 'p1');
    resolver.answer('gate.example.com');
    resolver.clock.advance(KEPT_MS - 1);
    resolver.take();
    resolver.ask('gate.example.com', 'p2');
    expect(resolver.take()).toEqual(['p2 starts', 'p2 gets 192.0.2.1']);
    resolver.clock.advance(1);
    resolver.ask('gate.example.com', 'p3');
    expect(resolver.take()).toEqual(['p3 starts', 'looks up gate.example.com']);
  });

  it.each([
    ['a failure', new Error('ENOTFOUND')],
    ['an answer without an address', []],
  ])('do not share %s afterwards', (_, answer) => {
    const resolver = new Resolver();
    resolver.ask('gate.example.com', 'p1');
    resolver.answer('gate.example.com', answer);
    resolver.take();
    resolver.ask('gate.example.com', 'p2');
    expect(resolver.take()).toEqual(['p2 starts', 'looks up gate.example.com']);
  });
});

describe('lookups of other names', () => {
  it('wait while two run, and start in the order in which they were asked', () => {
    const resolver = new Resolver();
    for (const [index, host] of ['a', 'b', 'c', 'd', 'c'].entries()) resolver.ask(host, `p${index}`);
    expect(resolver.take()).toEqual(['p0 starts', 'looks up a', 'p1 starts', 'looks up b']);
    resolver.answer('b');
    expect(resolver.take()).toEqual(['p1 gets 192.0.2.1', 'p2 starts', 'p4 starts', 'looks up c']);
  });

  it('never start if nobody waits for them any more', () => {
    const resolver = new Resolver();
    resolver.ask('a', 'p0');
    resolver.ask('b', 'p1');
    const leave = resolver.ask('c', 'p2');
    resolver.ask('d', 'p3');
    leave();
    resolver.take();
    resolver.answer('a');
    expect(resolver.take()).toEqual(['p0 gets 192.0.2.1', 'p3 starts', 'looks up d']);
  });

  it('do not end because Node.js throws for a name', () => {
    const clock = new FakeClock(0);
    const ends: string[] = [];
    const pending: ((answer: Answer) => void)[] = [];
    const names = new Names(clock, (host, onEnd) => {
      if (host === 'bad') throw new TypeError('no name');
      pending.push(onEnd);
    });
    for (const host of ['a', 'b', 'bad', 'c'])
      names.ask(host, {
        onStart: () => {},
        onEnd: (answer) => ends.push(`${host}: ${answer instanceof Error ? answer.name : 'found'}`),
      });
    pending[0]?.(HERE);
    expect(ends).toEqual(['a: found', 'bad: TypeError']);
    expect(pending).toHaveLength(3);
  });
});

it('answers everyone who stays, once, with at most two lookups at a time, in any order of events', () => {
  const event = fc.record({
    host: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    kind: fc.nat(3),
    ms: fc.nat(4_000),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const clock = new FakeClock(0);
      const running = new Map<string, (answer: Answer) => void>();
      const names = new Names(clock, (host, onEnd) => {
        expect(running.has(host)).toBe(false);
        running.set(host, onEnd);
        expect(running.size).toBeLessThanOrEqual(2);
      });
      const answerNext = (): boolean => {
        const [next] = running;
        if (!next) return false;
        running.delete(next[0]);
        next[1](HERE);
        return true;
      };
      const steps: { left: boolean; log: string }[] = [];
      const leaves: (() => void)[] = [];
      for (const { host, kind, ms } of events) {
        clock.advance(ms);
        if (kind === 0) answerNext();
        else {
          const step = { left: false, log: '' };
          const add = (letter: string) => () => {
            step.log += letter;
          };
          const leave = names.ask(host, { onStart: add('s'), onEnd: add('e') });
          if (kind === 1) leave();
          step.left = kind === 1;
          steps.push(step);
          leaves.push(leave);
        }
      }
      while (answerNext());
      for (const { left, log } of steps) expect(log).toMatch(left ? /^s?e?$/ : /^se$/);
    }),
  );
});
