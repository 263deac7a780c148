// Tests what holds for the attribution of any probes: when nobody may be blamed, and that the order does not matter.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attribution } from '../../../src/collectors/faults/attribution.ts';
import type { EvidenceCell, ProbeEvidence } from '../../../src/collectors/probes/evidence.ts';
import { attributeProbes } from '../attribute-at-once.ts';
import { cellOf, evidenceOf, NOW, nameOf } from './probe-evidence.ts';

const OPTIONS = { faultAfter: 2, since: NOW };
const NOTHING: Attribution = { faults: [], inconclusive: [] };
const URLS = ['a', 'b'];
const CODES = [
  ...['connect_refused', 'connect_timeout', 'tunnel_credentials', 'tunnel_no_node', 'tunnel_provider'],
  ...['tunnel_policy', 'tunnel_quota', 'tunnel_target_refused', 'tls_reset', 'response_status', 'here'],
];

type Codes = readonly (string | null)[];

/** By proxy and url: the codes of the rounds, the newest first. */
const anyFleet = (code: fc.Arbitrary<string | null>) =>
  fc.array(fc.array(fc.array(code, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 2 }), {
    minLength: 1,
    maxLength: 24,
  });
const anyCode = fc.option(fc.constantFrom(...CODES));
/** What the testers see of a proxy: it passes, it fails, or they have no results. */
const anyTests = fc.array(fc.constantFrom(true, false, undefined), { minLength: 24, maxLength: 24 });
const anyControls = fc.constantFrom<Readonly<Record<string, number>> | null>({}, { a: 3 }, { b: 1 }, null);

const evidence = (
  fleet: readonly (readonly Codes[])[],
  tests: readonly (boolean | undefined)[],
  failingControls: Readonly<Record<string, number>> | null,
): ProbeEvidence => {
  const testers = (proxy: number) => tests[proxy];
  const rest = evidenceOf({ proxies: fleet.length, urls: URLS, failingControls, testers });
  const cellsOf = (proxy: number, histories: readonly Codes[]): EvidenceCell[] =>
    histories.map((codes, index) =>
      cellOf({ proxy: nameOf(proxy), url: URLS[index] ?? '', productType: 'isp' }, rest.vantage, codes),
    );
  return { ...rest, probes: fleet.flatMap((histories, proxy) => cellsOf(proxy, histories)) };
};

const anyEvidence = fc.tuple(anyFleet(anyCode), anyTests, anyControls).map((parts) => evidence(...parts));

const kindsOf = ({ faults }: Attribution): string[] => faults.map(({ kind }) => kind);

describe('for any probes', () => {
  it('nobody is blamed while the line of this machine is down', () => {
    fc.assert(
      fc.property(anyFleet(anyCode), anyTests, (fleet, tests) => {
        const all = evidence(fleet, tests, { a: 1, b: 1 });
        expect(attributeProbes(all, NOTHING, OPTIONS)).toEqual(NOTHING);
      }),
    );
  });

  it('the order of the cells does not matter', () => {
    const reordered = anyEvidence.chain((all) => {
      const { probes, providerTests } = all;
      const shuffled = (cells: readonly EvidenceCell[]) =>
        fc.shuffledSubarray([...cells], { minLength: cells.length });
      return fc.tuple(fc.constant(all), shuffled(probes), shuffled(providerTests));
    });
    fc.assert(
      fc.property(reordered, ([all, probes, providerTests]) => {
        const other = { ...all, probes, providerTests };
        expect(attributeProbes(other, NOTHING, OPTIONS)).toEqual(attributeProbes(all, NOTHING, OPTIONS));
      }),
    );
  });

  it('a single failing round blames no proxy', () => {
    const once = fc
      .array(fc.tuple(anyCode, anyCode), { minLength: 1, maxLength: 24 })
      .map((proxies) => proxies.map((codes) => codes.map((code) => [code, null, null])));
    fc.assert(
      fc.property(once, anyTests, anyControls, (fleet, tests, controls) => {
        const kinds = kindsOf(attributeProbes(evidence(fleet, tests, controls), NOTHING, OPTIONS));
        expect(kinds).not.toContain('proxy');
        expect(kinds).not.toContain('access');
      }),
    );
  });

  it('one failing round beside rounds that show nothing blames no proxy', () => {
    const nothing = fc.constantFrom('tunnel_quota', 'here');
    const once = fc
      .array(fc.tuple(anyCode, nothing, nothing), { minLength: 1, maxLength: 24 })
      .map((proxies) => proxies.map((codes) => [codes, codes]));
    fc.assert(
      fc.property(once, anyTests, (fleet, tests) => {
        const kinds = kindsOf(attributeProbes(evidence(fleet, tests, {}), NOTHING, OPTIONS));
        expect(kinds).not.toContain('proxy');
        expect(kinds).not.toContain('access');
      }),
    );
  });

  it('a refusal for quota is no fault', () => {
    const quota = fc.constantFrom(null, 'tunnel_quota');
    fc.assert(
      fc.property(anyFleet(quota), anyTests, anyControls, (fleet, tests, controls) => {
        const all = evidence(fleet, tests, controls);
        expect(attributeProbes(all, NOTHING, OPTIONS).faults).toEqual([]);
      }),
    );
  });

  it('only its own answers show a fault of the provider', () => {
    const others = fc.option(fc.constantFrom(...CODES.filter((code) => !/_(no_node|provider)$/.test(code))));
    fc.assert(
      fc.property(anyFleet(others), anyTests, anyControls, (fleet, tests, controls) => {
        const all = evidence(fleet, tests, controls);
        expect(kindsOf(attributeProbes(all, NOTHING, OPTIONS))).not.toContain('provider');
      }),
    );
  });

  it('no proxy has two faults, and every subject of a fault is probed', () => {
    fc.assert(
      fc.property(anyEvidence, (all) => {
        const first = attributeProbes(all, NOTHING, OPTIONS);
        for (const { faults } of [first, attributeProbes(all, first, OPTIONS)]) {
          const proxies = faults.flatMap(({ kind, subject }) =>
            kind === 'proxy' || kind === 'access' ? subject : [],
          );
          expect(new Set(proxies).size).toBe(proxies.length);
          expect(new Set(faults.map(({ kind, subject }) => `${kind} ${subject}`)).size).toBe(faults.length);
          for (const proxy of proxies) expect(all.probes.some((cell) => cell.proxy === proxy)).toBe(true);
        }
      }),
    );
  });

  it('a proxy that passes from the provider’s testers is never at fault itself, unless a target refuses it', () => {
    const codes = fc.option(fc.constantFrom('connect_refused', 'tunnel_credentials', 'tls_reset'));
    fc.assert(
      fc.property(anyFleet(codes), anyControls, (fleet, controls) => {
        const passes = Array(24).fill(true);
        const kinds = kindsOf(attributeProbes(evidence(fleet, passes, controls), NOTHING, OPTIONS));
        expect(kinds).not.toContain('proxy');
        expect(kinds).not.toContain('provider');
      }),
    );
  });
});
