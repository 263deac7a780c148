// Tests every verdict of every minute of a day of the demo against what really fails in its simulated account.

import { beforeAll, expect, it } from 'vitest';
import type { Verdict } from '../../src/collectors/proxy-tests/verdicts.ts';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { type DemoMinute, playDemo } from './demo-day.ts';
import { DemoOracle, nameOf } from './demo-oracle.ts';
import { DemoSentences } from './demo-sentences.ts';

/** The verdict about a proxy that works and has no fault is read only this often, because it takes most of the time. */
const READ_EVERY = 10;

const oracle = new DemoOracle();
const sentences = new DemoSentences();
/** With the minutes in which they were found. */
const [wrongFaults, wrongVerdicts, unnamed, lost, untrue] = [
  new Map<string, string[]>(),
  new Map<string, string[]>(),
  new Map<string, string[]>(),
  new Map<string, string[]>(),
  new Map<string, string[]>(),
];

const note = (found: Map<string, string[]>, what: string, { at }: DemoMinute): void => {
  const minutes = found.get(what) ?? [];
  found.set(what, minutes);
  minutes.push(new Date(at).toISOString().slice(11, 16));
};

beforeAll(async () => {
  await playDemo(DAY / MINUTE, async (minute) => {
    oracle.observe(minute);
    judgeFaults(minute);
    for (const cause of oracle.unnamed(minute)) note(unnamed, cause, minute);
    for (const proxy of oracle.lost(minute)) note(lost, proxy, minute);
    for (const fault of minute.here) if (oracle.isUntrue(fault)) note(untrue, fault.subject, minute);
    await sentences.collect(minute, await judgeVerdicts(minute));
  });
}, 600_000);

const judgeFaults = (minute: DemoMinute): void => {
  for (const side of ['tests', 'here'] as const)
    for (const fault of minute[side])
      if (oracle.judgeFault(side, fault) === 'wrong')
        note(wrongFaults, `${side} ${fault.kind} ${fault.subject}: ${fault.reason}`, minute);
};

const judgeVerdicts = async (minute: DemoMinute): Promise<Verdict[]> => {
  const { account, view, at } = minute;
  const verdicts: Verdict[] = [];
  for (const [index, proxy] of account.proxies.entries()) {
    const name = nameOf(proxy, index);
    const isDue = Math.floor(at / MINUTE) % READ_EVERY === index % READ_EVERY;
    if (!isDue && !oracle.isConcerned(name, minute)) continue;
    const verdict = (await view.tests.proxy('demo', name))?.verdict;
    if (verdict) verdicts.push(verdict);
    if (!oracle.allows(name, verdict?.verdict))
      note(wrongVerdicts, `${name} ${verdict?.verdict}: ${verdict?.text}`, minute);
  }
  return verdicts;
};

it('blames nothing that works', () => {
  expect(Object.fromEntries(wrongFaults)).toEqual({});
});

it('gives every proxy a verdict that fits what fails', () => {
  expect(Object.fromEntries(wrongVerdicts)).toEqual({});
});

it('names everything that fails within three rounds of probes or two rounds of tests', () => {
  expect(Object.fromEntries(unnamed)).toEqual({});
});

it('blames a proxy that is down until it works again', () => {
  expect(Object.fromEntries(lost)).toEqual({});
});

it('says that a proxy was not tested since it fails only if that is so', () => {
  expect(Object.fromEntries(untrue)).toEqual({});
});

it('prints the sentences that were read', async () => {
  await expect(sentences.text).toMatchFileSnapshot('demo-sentences.txt');
});
