// Renders the result of one probe on request in Prometheus's text format, under the names that blackbox_exporter uses.

import { type Family, gauge } from '../lib/family.ts';
import { CONTENT_TYPES, headerOf, labelText } from './text-format.ts';

/** The measured values of a probe. */
export interface ProbeMeasurement {
  readonly isSuccessful: boolean;
  /** Durations in ms: of the whole probe, and of each phase that was begun. */
  readonly durationMs: number;
  readonly phases: Readonly<Partial<Record<string, number>>>;
  /** Bytes on the raw socket; null if they are not known. */
  readonly bytes: { readonly sent: number; readonly received: number } | null;
  /** The HTTP status of the target; null if there is none. */
  readonly status: number | null;
  /** When the certificate of the target expires (ms); null if none was received. */
  readonly certificateNotAfter: number | null;
  readonly failure: { readonly phase: string; readonly cause: string; readonly code: string | null } | null;
  /** How old the result is (ms). */
  readonly ageMs: number;
}

const success = gauge('probe_success', 'Whether the probe succeeded (1) or failed (0).', []);
const duration = gauge('probe_duration_seconds', 'Duration of the whole probe in seconds.', []);
const phaseDuration = gauge(
  'probe_phase_duration_seconds',
  'Duration of each phase in seconds, up to the phase in which the probe failed.',
  ['phase'],
);
const bytes = gauge('probe_bytes', 'Bytes on the raw socket.', ['direction']);
const status = gauge('probe_http_status_code', 'HTTP status of the target’s answer.', []);
const expiry = gauge(
  'probe_ssl_earliest_cert_expiry',
  'Time at which the target’s certificate expires, in seconds since the epoch.',
  [],
);
const failureInfo = gauge(
  'probe_failure_info',
  'Phase and cause of a failed probe, and the provider’s code if its answer has one; always 1.',
  ['phase', 'cause', 'code'],
);
const age = gauge(
  'probe_result_age_seconds',
  'Age of the result in seconds. A result is used for up to 30 seconds.',
  [],
);

export const PROBE_CONTENT_TYPE = CONTENT_TYPES.text;

export const probeText = (probe: ProbeMeasurement): string =>
  [
    family(success, [[{}, Number(probe.isSuccessful)]]),
    family(duration, [[{}, probe.durationMs / 1_000]]),
    family(
      phaseDuration,
      Object.entries(probe.phases).flatMap(([phase, ms]) =>
        ms === undefined ? [] : [[{ phase }, ms / 1_000]],
      ),
    ),
    family(bytes, byteSamples(probe)),
    family(status, samplesOf(probe.status)),
    family(expiry, samplesOf(probe.certificateNotAfter === null ? null : probe.certificateNotAfter / 1_000)),
    family(failureInfo, failureSamples(probe)),
    family(age, [[{}, probe.ageMs / 1_000]]),
  ].join('');

type Samples = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

const samplesOf = (value: number | null): Samples => (value === null ? [] : [[{}, value]]);

const failureSamples = ({ failure }: ProbeMeasurement): Samples =>
  failure ? [[{ phase: failure.phase, cause: failure.cause, code: failure.code ?? '' }, 1]] : [];

const byteSamples = ({ bytes }: ProbeMeasurement): Samples =>
  bytes
    ? [
        [{ direction: 'sent' }, bytes.sent],
        [{ direction: 'received' }, bytes.received],
      ]
    : [];

/** An empty family has no header, as in blackbox_exporter. */
const family = (described: Family, samples: Samples): string =>
  samples.length === 0
    ? ''
    : headerOf(described, 'text') +
      samples.map(([labels, value]) => `${described.name}${labelsText(labels)} ${value}\n`).join('');

const labelsText = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => labelText(name, value));
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
};
