// Looks up the faults that the probes found before the newest round.

import type { AttributedFault, Attribution } from '../../faults/attribution.ts';

type Kind = AttributedFault['kind'];

export interface PreviousFaults {
  /** Whether there was a fault of this kind. The subject of the provider is empty. */
  wasFound(kind: Kind, subject: string): boolean;
  /** The earlier fault; undefined if there was none. */
  get(kind: Kind, subject: string): AttributedFault | undefined;
  /** The earlier fault of the access to a proxy, or of the proxy itself; undefined if there was none. */
  ofProxy(proxy: string): AttributedFault | undefined;
}

export const previousFaults = ({ faults }: Attribution): PreviousFaults => {
  const keyOf = (kind: Kind, subject: string): string => `${kind} ${subject}`;
  const byKey = new Map(faults.map((fault) => [keyOf(fault.kind, fault.subject), fault]));
  const get = (kind: Kind, subject: string): AttributedFault | undefined => byKey.get(keyOf(kind, subject));
  return {
    wasFound: (kind, subject) => byKey.has(keyOf(kind, subject)),
    get,
    ofProxy: (proxy) => get('access', proxy) ?? get('proxy', proxy),
  };
};
