// Tests the sentence that says why a proxy fails: each kind of failure with each outcome without the proxy.

import { describe, expect, it } from 'vitest';
import { conclusionOf } from '../../src/cli/probe/conclusion.ts';
import { adviceOn } from '../../src/prober/advice.ts';
import { CAUSES, PHASES, type ProbeFailure, type ProbeResult } from '../../src/prober/probe.ts';

const resultOf = (failure: ProbeFailure | null, phases: ProbeResult['phases'] = {}): ProbeResult => ({
  ...{ failure, phases, durationMs: 0, bytes: { sent: 0, received: 0 } },
  ...{ proxyAnswer: null, status: null, certificate: null, isResumed: false, body: null },
});

type Name = `${ProbeFailure['phase']} ${ProbeFailure['cause']}`;

const phaseOf = (text: string | undefined) => PHASES.find((phase) => phase === text) ?? 'resolve';
const causeOf = (text: string | undefined) => CAUSES.find((cause) => cause === text) ?? 'dns';

/** Through a tunnel, unless `phases` says otherwise. */
const failed = (name: Name, message: string, phases: ProbeResult['phases'] = { tunnel: 1 }): ProbeResult => {
  const [phase, cause] = name.split(' ');
  return resultOf({ phase: phaseOf(phase), cause: causeOf(cause), message }, phases);
};

const CONTROLS = {
  none: undefined,
  ok: resultOf(null),
  local: failed('connect local', 'C'),
  unreached: failed('connect refused', 'C'),
  tls: failed('tls reset', 'C'),
  certificate: failed('tls certificate', 'C'),
  response: failed('response status', 'C'),
} as const;

const REACHED = ['tls', 'certificate', 'response'] as const;

type Control = keyof typeof CONTROLS;

const FAILS = /^The proxy fails \(.*\): X; /;
const UNCLEAR = /^The proxy or the target fails \(.*\): X; /;
const ONLY_PROXY = /^The proxy fails, and the target answers without it \(.*\): X; (?!the target answers)/;
const BLOCKED = /^The proxy fails, and the target answers without it .*X; the target answers .* ask its op/;
const REACHED_HERE = /^The proxy fails, and this machine reaches the target without it \(.*\): X; /;
const BOTH_FAIL = /^The proxy fails, and so does the target without it \(.*\): X; /;
const NEITHER =
  /^This machine reaches neither the proxy nor the target .*X; without the proxy, C, so check the net/;
const NOT_PROXY =
  /^The proxy is probably not at fault, because .*X; without the proxy, C, so check the target/;
const HERE = /^This machine could not make the probe \(.*\): X; check the limits of this machine/;
const OTHER = /^The proxy works, but the target does not answer as expected \(.*\): X; run .* --control/;
const OTHER_BLOCKED =
  /^The proxy works, but the target does not answer as expected .*X; the target answers .* ask/;
const UNTRUSTED =
  /^The certificate of the target is wrong, or the proxy intercepts TLS .*X; run .* --control/;
const UNCOMPARED =
  /^The certificate of the target is wrong, or .*X; without the proxy, C, .* cannot be compared/;
const INTERCEPTED =
  /^The target has a trusted certificate without the proxy, but not through it .*; do not send/;

const all = (sentence: RegExp): Record<Control, RegExp> => ({
  ...{ none: sentence, ok: sentence, local: sentence, unreached: sentence },
  ...reached(sentence),
});
const reached = (sentence: RegExp) => ({ tls: sentence, certificate: sentence, response: sentence });

/** Each row: failures of the same kind, and the sentence by the outcome without the proxy. */
const TABLE: readonly (readonly [readonly Name[], Record<Control, RegExp>])[] = [
  [['connect local', 'response local'], all(HERE)],
  [
    ['resolve dns', 'connect refused', 'connect unreachable', 'connect timeout', 'connect reset'],
    { none: FAILS, local: FAILS, ok: ONLY_PROXY, unreached: NEITHER, ...reached(REACHED_HERE) },
  ],
  [
    [
      ...(['connect certificate', 'connect protocol', 'tunnel protocol'] as const),
      ...(['tunnel proxy_error', 'tunnel credentials', 'tunnel options'] as const),
      ...(['tunnel quota', 'tunnel no_node', 'tunnel policy', 'tunnel provider'] as const),
      ...(['response credentials', 'response quota'] as const),
    ],
    { none: FAILS, local: FAILS, ok: ONLY_PROXY, unreached: BOTH_FAIL, ...reached(BOTH_FAIL) },
  ],
  [
    [
      ...(['tunnel target_name', 'tunnel target_refused', 'tunnel target_unreachable'] as const),
      // Some proxies close the connection if they do not reach the target.
      ...(['tunnel proxy_or_target', 'tunnel timeout', 'tunnel closed', 'tunnel reset'] as const),
    ],
    { none: UNCLEAR, local: UNCLEAR, ok: ONLY_PROXY, unreached: NOT_PROXY, ...reached(REACHED_HERE) },
  ],
  [
    ['tls reset', 'tls timeout', 'tls protocol', 'response closed', 'response protocol'],
    { none: UNCLEAR, local: UNCLEAR, ok: BLOCKED, unreached: NOT_PROXY, ...reached(NOT_PROXY) },
  ],
  [
    ['response status', 'response header', 'response body'],
    { none: OTHER, local: OTHER, ok: OTHER_BLOCKED, unreached: NOT_PROXY, ...reached(NOT_PROXY) },
  ],
  [
    ['tls certificate'],
    {
      ...{ none: UNTRUSTED, local: UNTRUSTED, ok: INTERCEPTED, unreached: UNCOMPARED },
      ...{ tls: UNCOMPARED, certificate: NOT_PROXY, response: INTERCEPTED },
    },
  ],
];

const CELLS = TABLE.flatMap(([names, sentences]) =>
  names.flatMap((name) =>
    Object.entries(CONTROLS).map(([kind, control]) => ({
      ...{ name, kind, control },
      sentence: Object.entries(sentences).find(([each]) => each === kind)?.[1],
    })),
  ),
);

it.each(CELLS)('$name with the control $kind', ({ name, control, sentence }) => {
  expect(conclusionOf({ result: failed(name, 'X'), control })).toMatch(
    sentence ?? /no sentence in the table/,
  );
});

describe('a forwarded request, which has no tunnel', () => {
  const forwarded = (name: Name, control: Control): string =>
    conclusionOf({ result: failed(name, 'X', { response: 1 }), control: CONTROLS[control] });

  it('that is answered with garbage is the fault of the proxy', () => {
    expect(forwarded('response protocol', 'none')).toMatch(FAILS);
    expect(forwarded('response protocol', 'ok')).toMatch(ONLY_PROXY);
    for (const kind of ['unreached', ...REACHED] as const)
      expect(forwarded('response protocol', kind)).toMatch(BOTH_FAIL);
  });

  it('that the proxy could not pass on may be the fault of the target', () => {
    expect(forwarded('response target_unreachable', 'none')).toMatch(UNCLEAR);
    for (const kind of ['unreached', ...REACHED] as const)
      expect(forwarded('response target_unreachable', kind)).toMatch(NOT_PROXY);
  });
});

it.each<[Control, string]>([
  ['none', 'The proxy works.'],
  ['ok', 'The proxy works.'],
  ['local', 'The proxy works.'],
  ['unreached', 'The proxy works, but without it the target cannot be reached from this machine: C.'],
  ...REACHED.map((kind): [Control, string] => [
    kind,
    'The proxy works, but without it the target does not answer as expected: C.',
  ]),
])('a proxy that works with the control %s', (kind, sentence) => {
  expect(conclusionOf({ result: resultOf(null), control: CONTROLS[kind] })).toBe(sentence);
});

it('is one sentence that ends with a next step, whatever fails', () => {
  for (const phase of PHASES)
    for (const cause of CAUSES)
      for (const control of Object.values(CONTROLS)) {
        const sentence = conclusionOf({ result: failed(`${phase} ${cause}`, 'X'), control });
        expect([phase, cause, sentence.match(/^[A-Z][^.]*\.$/)?.length]).toEqual([phase, cause, 1]);
        expect(adviceOn({ phase, cause, message: '' })).toMatch(/^[a-z].{20,}$/);
      }
});

it('advises a comparison only if there was none', () => {
  // Before the tunnel, nothing is said about the target.
  for (const phase of ['tunnel', 'tls', 'response'] as const)
    for (const cause of CAUSES)
      for (const phases of [{ response: 1 }, { tunnel: 1 }])
        for (const control of [CONTROLS.ok, CONTROLS.unreached, ...REACHED.map((kind) => CONTROLS[kind])])
          expect(conclusionOf({ result: failed(`${phase} ${cause}`, 'X', phases), control })).not.toContain(
            '--control',
          );
});
