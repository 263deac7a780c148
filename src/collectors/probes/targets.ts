// Lists the targets, the controls and the exit url of the probes, under labels that contain no secret.

import type { Secret } from '../../lib/secret.ts';
import type { Depth, ProbeTarget } from '../../prober/probe.ts';
import { urlLabel } from '../url-label.ts';
import { readCaFile } from './ca-file.ts';
import type { ProbeOptions, ProbeUrl } from './options.ts';

export interface LabelledTarget {
  /** The value of the label `url`. */
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
