// What a route of the API is: its parameters and its answer as schemas, and how the answer is read of the store.

import type { z } from 'zod';
import type { CollectorName } from '../../collectors/collector.ts';
import type { StorePart } from '../../store/store.ts';
import type { AccountView, View } from '../view.ts';
import { type PageRequest, positionAt } from './page.ts';

export interface ApiRequest<Q> {
  readonly view: View;
  /** Checked and with their defaults. */
  readonly query: Q;
  /** The parameters of the path; an `account` among them is known. */
  readonly path: Readonly<Record<string, string>>;
}

/** Why there is no answer. */
export class Refusal {
  readonly status: 400 | 404;
  readonly error: string;

  constructor(status: 400 | 404, error: string) {
    this.status = status;
    this.error = error;
  }
}

export interface ApiRoute<
  Q extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
  A extends z.ZodType = z.ZodType,
> {
  /** With its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly query: Q;
  /** Every field of it: an answer has no others. */
  readonly answer: A;
  /** Another one whenever answers may differ from those before; left out where that is all the time. */
  revision?(view: View): string | Promise<string>;
  read(request: ApiRequest<z.output<z.ZodObject<Q>>>): Promise<z.output<A> | Refusal>;
}

/** A route whose parts fit together. */
export const route = <const Q extends Readonly<Record<string, z.ZodType>>, A extends z.ZodType>(
  definition: ApiRoute<Q, A>,
): ApiRoute => definition as unknown as ApiRoute;

/** A revision of what is read of these parts of the store; with `spanMs`, of the present span of that length too. */
export const partsOf =
  (parts: readonly StorePart[], spanMs?: number) =>
  (view: View): string =>
    view.revision(parts, spanMs);

/** What the parameters of a list in pages ask for. */
export const pageRequestOf = (
  { account, limit, cursor }: { account: readonly string[]; limit: number; cursor?: string | undefined },
  view: View,
): PageRequest => ({
  accounts: accountsOf(account, view),
  limit,
  after: cursor === undefined ? null : positionAt(cursor),
});

/** Those asked for, all when none is, each once and in order. */
export const accountsOf = (asked: readonly string[], view: View): string[] =>
  [...new Set(asked.length === 0 ? view.accounts() : asked)].sort();

/** The account, where the collector is on: what is off is not shown, whatever the store has of it. */
export const accountWith = (view: View, name: string, collector: CollectorName): AccountView | undefined => {
  const account = view.account(name);
  return account?.settings.collectors.includes(collector) ? account : undefined;
};
