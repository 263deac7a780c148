// Reads the target of a request, which clients send as a path or, as to a proxy, as an absolute URL.

/**
 * Returns the path and query of a target. They always begin with a slash, because the router ignores the first character
 * and would serve `*metrics` like `/metrics`.
 */
export const originForm = (target: string): string => target.replace(ABSOLUTE, '').replace(/^(?!\/)/, '/');

/** Returns the host and port of a target that is an absolute URL. */
export const authorityOf = (target: string): string | undefined => ABSOLUTE.exec(target)?.[1];

/** Returns the part of a request's URL that may be logged: the path, because query strings may hold private data. */
export const pathOf = (url: string): string => url.replace(/\?.*$/s, '');

/** Without the name and password that may be before the host. */
const ABSOLUTE = /^https?:\/\/(?:[^/?]*@)?([^/?]*)/i;
