// Reads the target of a request, and says what of it may be logged, and why this daemon does not know an account.

import type { FastifyRequest } from 'fastify';
import type { DaemonView } from './daemon-view.ts';
import type { ShardsStatus } from './status-view.ts';

/** Returns path and query, always with a slash first, because the router would serve `*metrics` like `/metrics`. */
export const originForm = (target: string): string => target.replace(ABSOLUTE, '').replace(/^(?!\/)/, '/');

export const authorityOf = (target: string): string | undefined => ABSOLUTE.exec(target)?.[1];

/** Returns the part of a request's URL that may be logged: the path, because query strings may hold private data. */
export const pathOf = (url: string): string => url.replace(/\?.*$/s, '');

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route costs or changes something although its method is GET. */
    readonly acts?: boolean;
    /** Whether the route needs no login, because its path has a token. */
    readonly isPublic?: boolean;
  }
}

/**
 * Returns the path of a request for the log. That of a public page has a token, which a misspelt path may have too, so
 * the pattern of the route is logged, and nothing of such a path without a route.
 */
export const loggedPath = ({ url, routeOptions, is404 }: FastifyRequest): string => {
  if (routeOptions.config?.isPublic) return routeOptions.url ?? '';
  const path = pathOf(url);
  return is404 && /public|badge|%/i.test(path) ? UNKNOWN_PATH : path;
};

const UNKNOWN_PATH = 'an unknown path';

/** Without the name and password that may be before the host. */
const ABSOLUTE = /^https?:\/\/(?:[^/?]*@)?([^/?]*)/i;

/** A parameter as received: missing, once or repeated. */
export type Parameter = string | readonly string[] | undefined;

/** A mistake in a parameter. The text begins with the parameter's name. */
export interface ParameterMistake {
  readonly mistake: string;
}

export const valuesOf = (parameter: Parameter): readonly string[] => [parameter ?? []].flat();

/** Reports the first of the requested names that is not known. */
export const findUnknown = (
  parameter: string,
  requested: readonly string[],
  known: readonly string[],
): ParameterMistake | undefined => {
  const unknown = requested.find((name) => !known.includes(name));
  return unknown === undefined
    ? undefined
    : { mistake: `${parameter}: "${unknown}" is not known; expected one of ${known.join(', ')}` };
};

type Accounts = Pick<DaemonView, 'accounts' | 'shards'>;

/** Reports the first of the requested accounts that this daemon does not run. */
export const findUnknownAccount = (
  view: Accounts,
  requested: readonly string[],
): ParameterMistake | undefined => {
  const known = view.accounts();
  const unknown = requested.find((name) => !known.includes(name));
  return unknown === undefined ? undefined : { mistake: describeUnknownAccount(view, unknown) };
};

/** Returns why the daemon does not run the account. The text begins with the name of the parameter. */
export const describeUnknownAccount = (view: Accounts, name: string): string => {
  const elsewhere = describeElsewhere(view, name);
  if (elsewhere !== undefined) return elsewhere;
  const known = view.accounts();
  const expected =
    known.length > 0 ? `; expected one of ${known.join(', ')}` : '. This daemon has no accounts';
  return `account: "${name}" is not known${expected}`;
};

/** Returns the address of the status page of the account if another shard runs it; undefined if it is not known. */
export const pageElsewhere = ({ owners, index, urls }: ShardsStatus, name: string): string | undefined => {
  const owner = owners.find(({ account }) => account === name);
  return owner && owner.shard !== index ? urls[owner.shard] : undefined;
};

/** Returns undefined if this daemon runs the account, or if the configuration does not have it. */
export const describeElsewhere = (view: Accounts, name: string | null | undefined): string | undefined => {
  const shards = view.shards();
  const owner = shards.owners.find(({ account }) => account === name);
  if (!owner || view.accounts().includes(owner.account)) return undefined;
  if (owner.shard === shards.index)
    return `account: "${owner.account}" was moved out of the store of this daemon, so this daemon does not run it`;
  const url = pageElsewhere(shards, owner.account);
  return `account: shard ${owner.shard} runs "${owner.account}"${url === undefined ? '' : `: ${url}`}`;
};
