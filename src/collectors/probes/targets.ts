// Lists the targets, the controls and the exit url of the probes, under labels that contain no secret, with their certificates and time limits.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeReadError, fingerprintOf } from '../../config/files.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Depth, ProbeTarget, ProbeTimeouts } from '../../prober/probe.ts';
import { urlLabel } from '../url-label.ts';
import type { ProbeOptions, ProbeUrl } from './options.ts';

const known = new Map<string, { readonly fingerprint: string; readonly text: string }>();

/** Returns the file as it was last readable. Undefined if there is no file, or if it never was readable. */
export const readCaFile = (path: string | undefined): string | undefined => {
  if (path === undefined) return undefined;
  const last = known.get(path);
  try {
    const fingerprint = fingerprintOf(path);
    if (last?.fingerprint === fingerprint) return last.text;
    const text = readFileSync(path, 'utf8');
    known.set(path, { fingerprint, text });
    return text;
  } catch {
    return last?.text;
  }
};

/** Describes why the file cannot be used, without its content; undefined if it can be used. */
export const caFileMistake = (path: string): string | undefined => {
  try {
    new X509Certificate(readFileSync(path));
    return undefined;
  } catch (error) {
    const isUnreadable = error instanceof Error && 'syscall' in error;
    if (isUnreadable) return `expected a readable file (${describeReadError(error)})`;
    return 'expected a file that contains a certificate (PEM)';
  }
};

export interface LabelledTarget {
  readonly label: string;
  readonly target: ProbeTarget;
}

/** An http: url has no TLS, so its default is a request. */
export const depthOf = ({ url, depth }: Pick<ProbeUrl, 'url' | 'depth'>): Depth =>
  depth ?? (isHttps(url) ? 'tls' : 'http');

export const isHttps = (url: Secret): boolean => new URL(url.reveal()).protocol === 'https:';

export const labelsOf = ({ urls }: Pick<ProbeOptions, 'urls'>): string[] => urls.map(urlLabel);

export const targetsOf = ({ urls }: Pick<ProbeOptions, 'urls'>): LabelledTarget[] => urls.map(toTarget);

/** Empty if there are no controls. */
export const controlsOf = (options: Pick<ProbeOptions, 'urls' | 'control'>): LabelledTarget[] => {
  if (options.control === false) return [];
  return options.control ? options.control.urls.map(toTarget) : targetsOf(options);
};

/** The url whose answer shows the address of a proxy's exit; undefined if exits are not checked. */
export const exitTargetOf = ({ exit }: Pick<ProbeOptions, 'exit'>): LabelledTarget | undefined =>
  exit && {
    label: urlLabel(exit),
    target: { url: exit.url, depth: 'http', returnsBody: true, ca: readCaFile(exit.ca_file) },
  };

const toTarget = (each: ProbeUrl): LabelledTarget => ({
  label: urlLabel(each),
  target: { url: each.url, depth: depthOf(each), expect: each.expect, ca: readCaFile(each.ca_file) },
});

/** Time limits of the controls at the start of a round, and of those that are asked again before results are stored. */
const CONTROLS = 2;

/** The longest that a probe takes (ms): before its own time begins, it can wait for a lookup as long as one may take. */
export const longestProbeMs = ({ timeout, timeouts }: Pick<ProbeOptions, 'timeout' | 'timeouts'>): number =>
  timeout + Math.min(timeouts.resolve, timeout);

/** The longest that a round takes in which each of its connections has only one proxy (ms). */
export const longestTurnMs = ({
  urls,
  exit,
  control,
  timeout,
}: Pick<ProbeOptions, 'urls' | 'exit' | 'control' | 'timeout'>): number =>
  timeout * (urls.length + (exit ? 1 : 0) + (control === false ? 0 : CONTROLS));

/** `limitMs` also limits the wait for a lookup. */
export const timeoutsOf = (
  { timeout, timeouts }: Pick<ProbeOptions, 'timeout' | 'timeouts'>,
  limitMs = Number.POSITIVE_INFINITY,
): ProbeTimeouts => ({ ...timeouts, total: Math.min(timeout, limitMs), deadline: limitMs });
