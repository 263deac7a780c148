// Defines the faults of simulated proxies and targets, which are set at run time or for periods of a scenario.

import { z } from 'zod';
import { isActive, periodFields, RuntimeList } from '../faults/runtime-list.ts';
import { classOfCode } from './codes.ts';

const scope = {
  /** Proxy id, host, host:port, product type, or the name of a gateway. `*` matches all proxies. */
  subject: z.string().min(1).default('*'),
  /** Host name of the target. `*` matches all targets. */
  target: z.string().min(1).default('*'),
  ...periodFields,
};
const fault = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ kind: z.literal(kind), ...scope, ...shape });
/** When a connection ends: at once (a client may notice while it connects), after the client's request, or the answer. */
const after = z.enum(['connect', 'request', 'answer']).default('request');

const kinds = z.discriminatedUnion('kind', [
  /** The proxy refuses requests with a code of the provider. */
  fault('code', {
    code: z
      .int()
      .refine((code) => classOfCode(code) !== undefined, 'expected a four-digit code of a refusal'),
  }),
  /** The proxy does not listen. */
  fault('refused', {}),
  /** The proxy accepts connections, but neither reads nor answers. */
  fault('silent', {}),
  /** The proxy reads everything, and never answers. */
  fault('no_banner', {}),
  /** The tunnel opens, but nothing passes through it. */
  fault('half_open', {}),
  /** The proxy sends its answer one byte at a time. Times are real. */
  fault('drip', { interval_ms: z.int().min(1).default(1_000) }),
  /** The proxy answers late. */
  fault('slow', { delay_ms: z.int().min(1) }),
  /** The proxy sends bytes that are neither HTTP nor SOCKS. */
  fault('garbage', {}),
  fault('early_close', { after }),
  fault('reset', { after }),
  /** The proxy leaves from another address than its own. */
  fault('exit', { address: z.ipv4(), country: z.string().nullable().default(null) }),
  /** The target answers with a status, closes the connection, or never answers. */
  fault('target', {
    answer: z.union([z.int().min(200).max(599), z.enum(['close', 'silent'])]).default(403),
    /** `proxies` spares clients that reach the target without a proxy. */
    through: z.enum(['proxies', 'all']).default('proxies'),
  }),
  /** The target has a certificate that clients do not accept. */
  fault('certificate', { state: z.enum(['expired', 'untrusted', 'wrong_name']).default('expired') }),
]);

/** Refuses faults that would never do anything. */
export const proxyFaultSchema = kinds.superRefine(({ kind, subject, target }, context) => {
  const refuse = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message });
  if ((kind === 'target' || kind === 'certificate') && subject !== '*')
    refuse('subject', `${kind} is a fault of the target, not of a proxy; expected "*"`);
  if (kind === 'refused' && target !== '*')
    refuse('target', 'a proxy that does not listen fails for all targets; leave target out');
});

export type ProxyFault = z.infer<typeof proxyFaultSchema>;
export type ProxyFaultInput = z.input<typeof proxyFaultSchema>;
export type Moment = z.infer<typeof after>;

export class ProxyFaults extends RuntimeList<typeof proxyFaultSchema> {
  constructor(initial: readonly ProxyFaultInput[] = []) {
    super(proxyFaultSchema, initial);
  }

  /** Returns the faults that are active for one of the proxy's names and the target at the time `at` (ms). */
  active(names: readonly string[], target: string, at: number): readonly ProxyFault[] {
    return this.list.filter(
      (one) =>
        (one.subject === '*' || names.includes(one.subject)) &&
        (one.target === '*' || one.target === target) &&
        isActive(one, at),
    );
  }

  /** Replaces the faults of one subject. An empty list ends them. Throws ZodError if a fault is invalid. */
  setFor(subject: string, faults: readonly unknown[]): void {
    const own = z.array(proxyFaultSchema).parse(faults.map((one) => Object.assign({}, one, { subject })));
    this.replace([...this.list.filter((one) => one.subject !== subject), ...own]);
  }
}

export const faultOfKind = <K extends ProxyFault['kind']>(
  faults: readonly ProxyFault[],
  kind: K,
): Extract<ProxyFault, { kind: K }> | undefined =>
  faults.find((one): one is Extract<ProxyFault, { kind: K }> => one.kind === kind);
